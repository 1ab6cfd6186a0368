// Whole models, token by token: the logits' bits of the Vulkan backend are the CPU's.
#include "backend/equal_decoding.h"
#include "backend/vulkan/vulkan_backend.h"
#include "model/real_models.h"

namespace hb::test {
namespace {

TEST(VulkanModel, SmolLm2DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kSmolLm2);
  expect_equal_decoding(path, make_vulkan_backend({.threads = 2}));
}

TEST(VulkanModel, Gemma3DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kGemma3);
  expect_equal_decoding(path, make_vulkan_backend({.threads = 2}));
}

}  // namespace
}  // namespace hb::test
