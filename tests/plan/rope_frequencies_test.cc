#include "plan/rope_frequencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hb {
namespace {

using testing::HasSubstr;

Hyperparameters rotary(uint32_t dims, float base) {
  Hyperparameters hparams;
  hparams.rope_dims = dims;
  hparams.rope_base = base;
  return hparams;
}

// As Qwen files ask for: 32768 positions stretched four times.
Hyperparameters qwen_yarn() {
  Hyperparameters hparams = rotary(128, 1e6f);
  hparams.rope_scaling = {.kind = RopeScalingKind::kYarn, .factor = 4.0f, .original_context = 32768};
  return hparams;
}

RopeTable table_of(const Hyperparameters& hparams, std::span<const float> factors = {}) {
  const Result<RopeTable> table = make_rope_table(hparams, false, factors);
  EXPECT_TRUE(table) << table.error().message;
  return table.value_or(RopeTable{});
}

void expect_near(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-14 * expected); }

TEST(RopeFrequencies, ArePowersOfTheBase) {
  const RopeTable table = table_of(rotary(64, 100000.0f));
  ASSERT_EQ(table.frequencies.size(), 32u);
  EXPECT_EQ(table.rotary_dims(), 64u);
  EXPECT_EQ(table.magnitude, 1.0);
  EXPECT_EQ(table.frequencies[0], 1.0);
  for (size_t i = 0; i < 32; ++i)
    expect_near(table.frequencies[i], std::pow(100000.0, -static_cast<double>(i) / 32));
}

TEST(RopeFrequencies, LinearScalingDividesAll) {
  Hyperparameters hparams = rotary(8, 10000.0f);
  hparams.rope_scaling = {.kind = RopeScalingKind::kLinear, .factor = 8.0f};
  const RopeTable table = table_of(hparams);
  expect_near(table.frequencies[0], 0.125);
  expect_near(table.frequencies[3], 0.000125);
  EXPECT_EQ(table.magnitude, 1.0);
}

// Expected values from the formulas of the YaRN paper in another language; the ramp goes from pair 23 to
// pair 40.
TEST(RopeFrequencies, YarnKeepsFastPairsAndStretchesSlowOnes) {
  const RopeTable table = table_of(qwen_yarn());
  expect_near(table.frequencies[0], 1.0);
  expect_near(table.frequencies[23], 0.006978305848598663);
  expect_near(table.frequencies[24], 0.005375321490790102);
  expect_near(table.frequencies[30], 0.001064360981247002);
  expect_near(table.frequencies[39], 6.490394320837029e-05);
  expect_near(table.frequencies[40], 4.445698525097307e-05);
  expect_near(table.frequencies[63], 3.102344401879299e-07);
  expect_near(table.magnitude, 1.138629436111989);
}

TEST(RopeFrequencies, YarnRampStartsAtTheFirstPair) {
  Hyperparameters hparams = rotary(16, 10000.0f);
  hparams.rope_scaling = {.kind = RopeScalingKind::kYarn, .factor = 4.0f, .original_context = 64};
  const RopeTable table = table_of(hparams);
  expect_near(table.frequencies[0], 1.0);
  expect_near(table.frequencies[1], 0.23717082451262847);
  expect_near(table.frequencies[2], 0.05);
  expect_near(table.frequencies[3], 0.007905694150420948);
}

TEST(RopeFrequencies, YarnMixesByItsOwnFactors) {
  Hyperparameters hparams = qwen_yarn();
  hparams.rope_scaling.extrapolation = 0.5f;
  hparams.rope_scaling.attention_factor = 2.0f;
  const RopeTable table = table_of(hparams);
  expect_near(table.frequencies[30], 0.0007246713063809374);
  expect_near(table.magnitude, 2 * 1.138629436111989);
}

TEST(RopeFrequencies, YarnWithoutExtrapolationIsLinear) {
  Hyperparameters hparams = qwen_yarn();
  hparams.rope_scaling.extrapolation = 0.0f;
  const RopeTable table = table_of(hparams);
  expect_near(table.frequencies[0], 0.25);
  EXPECT_EQ(table.magnitude, 1.0);
}

TEST(RopeFrequencies, FactorsDivideEachPair) {
  Hyperparameters hparams = rotary(8, 10000.0f);
  hparams.rope_scaling.kind = RopeScalingKind::kFrequencyFactors;
  const std::vector<float> factors = {1.0f, 2.5f, 8.0f, 32.0f};
  const RopeTable table = table_of(hparams, factors);
  expect_near(table.frequencies[0], 1.0);
  expect_near(table.frequencies[1], 0.04);
  expect_near(table.frequencies[2], 0.00125);
  expect_near(table.frequencies[3], 0.00003125);
}

TEST(RopeFrequencies, SlidingLayersHaveTheirBaseAndNoScaling) {
  Hyperparameters hparams = rotary(8, 1e6f);
  hparams.rope_base_sliding = 10000.0f;
  hparams.rope_scaling = {.kind = RopeScalingKind::kLinear, .factor = 8.0f};
  const Result<RopeTable> table = make_rope_table(hparams, true, {});
  ASSERT_TRUE(table);
  expect_near(table->frequencies[0], 1.0);
  expect_near(table->frequencies[1], 0.1);
}

TEST(RopeFrequencies, OutOfRangeIsRefused) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Hyperparameters hparams = rotary(4, 10000.0f);
  hparams.rope_scaling.kind = RopeScalingKind::kFrequencyFactors;
  for (const float factor : {0.0f, -1.0f, 1e-4f, kInfinity - kInfinity}) {
    const std::vector<float> factors = {1.0f, factor};
    const Result<RopeTable> table = make_rope_table(hparams, false, factors);
    ASSERT_FALSE(table) << factor;
    EXPECT_EQ(table.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(table.error().message, HasSubstr("pair 1 turns by"));
  }
}

// log(1) = 0 leaves YaRN's ramp without a place to be.
TEST(RopeFrequencies, YarnOverABaseOfOneIsRefusedOrFinite) {
  Hyperparameters hparams = qwen_yarn();
  hparams.rope_base = 1.0f;
  const Result<RopeTable> table = make_rope_table(hparams, false, {});
  if (!table) return;
  for (const double frequency : table->frequencies) EXPECT_TRUE(std::isfinite(frequency));
}

}  // namespace
}  // namespace hb
