#include "quant/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/exact_math.h"
#include "support/test_data.h"

namespace hb {
namespace {

using testing::Activations;
using testing::make_activations;
using testing::Random;

// A block whose first value is `largest`, followed by `others` and zeros.
ActivationBlock quantise(float largest, const std::vector<float>& others) {
  std::vector<float> values(kBlockElems, 0.0f);
  values[0] = largest;
  std::ranges::copy(others, values.begin() + 1);
  return quantise_block(values.data());
}

TEST(QuantiseBlock, TiesGoToTheEvenCode) {
  const ActivationBlock block =
      quantise(127.0f, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 125.5f, 126.5f, -126.5f});
  const int8_t expected[] = {127, 0, 2, 2, 0, -2, -2, 126, 126, -126};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(block.codes[i], expected[i]) << i;
  EXPECT_EQ(block.scale, 127.0f * exact::rcp(127.0f));
}

TEST(QuantiseBlock, CodesBelowAndAboveATie) {
  const ActivationBlock block = quantise(127.0f, {0.50001f, 0.49999f, -1.50001f, -1.49999f});
  EXPECT_EQ(block.codes[1], 1);
  EXPECT_EQ(block.codes[2], 0);
  EXPECT_EQ(block.codes[3], -2);
  EXPECT_EQ(block.codes[4], -1);
}

TEST(QuantiseBlock, BelowTheRangeAllIsZero) {
  const ActivationBlock below = quantise(-0x1.fffffep-45f, {0x1p-60f, -0.0f});
  for (const int8_t code : below.codes) EXPECT_EQ(code, 0);
  EXPECT_EQ(below.scale, 0.0f);
  EXPECT_EQ(below.weighted_sum, 0.0f);
  EXPECT_EQ(below.half_sum[0], 0);
  const ActivationBlock at = quantise(-0x1p-44f, {});
  EXPECT_EQ(at.codes[0], -127);
  EXPECT_EQ(at.scale, 0x1p-44f * exact::rcp(127.0f));
}

TEST(QuantiseBlock, ExtremesStayWithin127) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const float largest = std::ldexp(random.uniform(1.0f, 2.0f), static_cast<int>(random.below(84)) - 44);
    const ActivationBlock block = quantise(largest, {-largest});
    ASSERT_EQ(block.codes[0], 127) << largest;
    ASSERT_EQ(block.codes[1], -127) << largest;
  }
  EXPECT_EQ(quantise(0x1p40f, {}).codes[0], 127);
}

TEST(QuantiseBlock, SumsAndErrorOfRandomBlocks) {
  Random random(2);
  for (const Activations kind :
       {Activations::kPlain, Activations::kSparse, Activations::kHuge, Activations::kTiny}) {
    for (int repeat = 0; repeat < 300; ++repeat) {
      const std::vector<float> values = make_activations(random, kind, kBlockElems);
      const ActivationBlock block = quantise_block(values.data());
      int32_t sums[2] = {};
      for (uint32_t i = 0; i < kBlockElems; ++i) {
        sums[i / 16] += block.codes[i];
        EXPECT_LE(std::fabs(values[i] - block.codes[i] * static_cast<double>(block.scale)),
                  block.scale * 0.50002);
      }
      EXPECT_EQ(block.half_sum[0], sums[0]);
      EXPECT_EQ(block.half_sum[1], sums[1]);
      EXPECT_EQ(block.weighted_sum, block.scale * static_cast<float>(sums[0] + sums[1]));
      EXPECT_EQ(half_weighted_sum(block, 1), block.scale * static_cast<float>(sums[1]));
    }
  }
}

TEST(QuantiseBlock, ValuesOutsideTheContractDoNoHarm) {
  for (const float bad : {NAN, INFINITY, -INFINITY, 0x1p127f}) {
    const ActivationBlock block = quantise(1.0f, {bad, bad, bad});
    EXPECT_LE(std::abs(block.half_sum[0]), 16 * 128);
  }
}

}  // namespace
}  // namespace hb
