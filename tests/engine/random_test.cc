#include "engine/random.h"

#include <gtest/gtest.h>

namespace hb {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers published with the paper's reference implementation.
TEST(Random, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, DrawsAreTheTopBitsOfTheFirstWord) {
  EXPECT_EQ(uniform_draw(0, 0), static_cast<float>(0x6627e8) / 16777216.0f);
}

TEST(Random, EveryBitOfSeedAndIndexMatters) {
  const float plain = uniform_draw(0, 0);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(uniform_draw(uint64_t{1} << bit, 0), plain) << "seed bit " << bit;
    EXPECT_NE(uniform_draw(0, uint64_t{1} << bit), plain) << "index bit " << bit;
  }
}

TEST(Random, DrawsFillTheUnitIntervalEvenly) {
  constexpr int kBins = 64, kDraws = 1 << 16;
  std::array<int, kBins> counts{};
  for (int i = 0; i < kDraws; ++i) {
    const float u = uniform_draw(42, static_cast<uint64_t>(i));
    ASSERT_GE(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    ++counts[static_cast<size_t>(u * kBins)];
  }
  double chi_square = 0;
  constexpr double kExpected = kDraws / kBins;
  for (const int count : counts) chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(chi_square, 103.4);  // 63 degrees of freedom, p = 0.001
  EXPECT_GT(chi_square, 32.5);   // p = 0.999: too even is not random either
}

}  // namespace
}  // namespace hb
