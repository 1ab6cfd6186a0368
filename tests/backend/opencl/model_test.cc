// Whole models, token by token: the logits' bits of the OpenCL backend are the CPU's.
#include "backend/equal_decoding.h"
#include "backend/opencl/opencl_backend.h"
#include "model/real_models.h"

namespace hb::test {
namespace {

TEST(OpenclModel, SmolLm2DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kSmolLm2);
  expect_equal_decoding(path, make_opencl_backend({.threads = 2}));
}

TEST(OpenclModel, Gemma3DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kGemma3);
  expect_equal_decoding(path, make_opencl_backend({.threads = 2}));
}

}  // namespace
}  // namespace hb::test
