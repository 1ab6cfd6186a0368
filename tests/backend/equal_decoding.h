// Whole models, token by token: the bits of a device's logits are the CPU's.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "engine/session.h"

namespace hb::test {

inline constexpr uint32_t kPrompt = 40, kTokens = 512;

inline Session load_session(const std::string& path, Result<std::unique_ptr<Backend>> backend) {
  EXPECT_TRUE(backend) << backend.error().message;
  auto model = Model::load(path, std::move(*backend));
  EXPECT_TRUE(model) << model.error().message;
  auto session = Session::create(*model, {.context = kPrompt + kTokens, .batch = 32});
  EXPECT_TRUE(session) << session.error().message;
  return std::move(*session);
}

// `backend` decodes with the bits of the CPU's logits.
inline void expect_equal_decoding(const std::string& path, Result<std::unique_ptr<Backend>> backend) {
  Session cpu = load_session(path, make_cpu_backend({.threads = 2}));
  Session device = load_session(path, std::move(backend));
  std::vector<int32_t> tokens;  // the prompt: any tokens do
  for (uint32_t i = 0; i < kPrompt; ++i) tokens.push_back(static_cast<int32_t>(100 + 37 * i));
  for (uint32_t i = 0; i < kTokens; ++i) {
    ASSERT_TRUE(cpu.append(tokens));
    const Status status = device.append(tokens);
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_EQ(hash_logits(device.logits()), hash_logits(cpu.logits())) << "token " << i;
    tokens = {likeliest_token(cpu.logits())};
  }
}

}  // namespace hb::test
