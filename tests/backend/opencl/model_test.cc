// Whole models, token by token: the logits' bits of the OpenCL backend are the CPU's.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/cpu_backend.h"
#include "backend/opencl/opencl_backend.h"
#include "engine/session.h"
#include "model/real_models.h"

namespace hb::test {
namespace {

constexpr uint32_t kPrompt = 40, kTokens = 512;

Session load_session(const std::string& path, Result<std::unique_ptr<Backend>> backend) {
  EXPECT_TRUE(backend) << backend.error().message;
  auto model = Model::load(path, std::move(*backend));
  EXPECT_TRUE(model) << model.error().message;
  auto session = Session::create(*model, {.context = kPrompt + kTokens, .batch = 32});
  EXPECT_TRUE(session) << session.error().message;
  return std::move(*session);
}

int32_t likeliest(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

void expect_equal_decoding(const std::string& path) {
  Session cpu = load_session(path, make_cpu_backend({.threads = 2}));
  Session opencl = load_session(path, make_opencl_backend({.threads = 2}));
  std::vector<int32_t> tokens;  // the prompt: any tokens do
  for (uint32_t i = 0; i < kPrompt; ++i) tokens.push_back(static_cast<int32_t>(100 + 37 * i));
  for (uint32_t i = 0; i < kTokens; ++i) {
    ASSERT_TRUE(cpu.append(tokens));
    const Status status = opencl.append(tokens);
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_EQ(hash_logits(opencl.logits()), hash_logits(cpu.logits())) << "token " << i;
    tokens = {likeliest(cpu.logits())};
  }
}

TEST(OpenclModel, SmolLm2DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kSmolLm2);
  expect_equal_decoding(path);
}

TEST(OpenclModel, Gemma3DecodesAsOnTheCpu) {
  HB_REAL_MODEL_OR_SKIP(path, kGemma3);
  expect_equal_decoding(path);
}

}  // namespace
}  // namespace hb::test
