#include "engine/sampler_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace hb {
namespace {

struct BadOption {
  const char* name;
  std::function<void(SamplerOptions&)> set;
};

class SamplerOptionsTest : public testing::TestWithParam<BadOption> {};

TEST_P(SamplerOptionsTest, OutOfRangeNamesTheOptionAndItsRange) {
  SamplerOptions options;
  GetParam().set(options);
  const Status status = validate(options, 100);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().message.rfind(GetParam().name, 0), 0u) << status.error().message;
  EXPECT_NE(status.error().message.find(" to "), std::string::npos) << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    EachOption, SamplerOptionsTest,
    testing::Values(BadOption{"temperature", [](auto& o) { o.temperature = -0.1f; }},
                    BadOption{"temperature", [](auto& o) { o.temperature = 1e-7f; }},
                    BadOption{"temperature", [](auto& o) { o.temperature = NAN; }},
                    BadOption{"temperature", [](auto& o) { o.temperature = 100.5f; }},
                    BadOption{"top_k", [](auto& o) { o.top_k = -1; }},
                    BadOption{"top_p", [](auto& o) { o.top_p = 1.01f; }},
                    BadOption{"top_p", [](auto& o) { o.top_p = NAN; }},
                    BadOption{"typical_p", [](auto& o) { o.typical_p = -0.01f; }},
                    BadOption{"min_p", [](auto& o) { o.min_p = 2.0f; }},
                    BadOption{"repetition_penalty", [](auto& o) { o.repetition_penalty = 0.0f; }},
                    BadOption{"frequency_penalty", [](auto& o) { o.frequency_penalty = INFINITY; }},
                    BadOption{"presence_penalty", [](auto& o) { o.presence_penalty = -101.0f; }},
                    BadOption{"penalty_last_n", [](auto& o) { o.penalty_last_n = -1; }},
                    BadOption{"logprobs", [](auto& o) { o.logprobs = -2; }},
                    BadOption{"logit_bias", [](auto& o) { o.logit_bias[100] = 1.0f; }},
                    BadOption{"logit_bias", [](auto& o) { o.logit_bias[-1] = 1.0f; }},
                    BadOption{"logit_bias", [](auto& o) { o.logit_bias[1] = INFINITY; }},
                    BadOption{"logit_bias", [](auto& o) { o.logit_bias[1] = NAN; }}));

TEST(SamplerOptions, DefaultsAndEdgesAreAccepted) {
  EXPECT_TRUE(validate({}, 100));
  SamplerOptions edges{.logit_bias = {{0, -INFINITY}, {99, 1e6f}},
                       .penalty_last_n = 0,
                       .top_k = 1 << 30,
                       .typical_p = 0.0f,
                       .top_p = 0.0f,
                       .min_p = 1.0f,
                       .temperature = 0.0f};
  EXPECT_TRUE(validate(edges, 100));
}

}  // namespace
}  // namespace hb
