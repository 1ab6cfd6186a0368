#include "engine/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/random.h"

namespace hb {
namespace {

constexpr float kInf = INFINITY;

// Coarse values, so that ties are everywhere.
std::vector<float> noise(size_t count, uint64_t seed, float levels) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::floor(uniform_draw(seed, i) * levels) - levels / 2;
  return values;
}

std::vector<uint32_t> sorted_first(std::span<const float> values, size_t k) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] > values[b]; });
  std::erase_if(order, [&](uint32_t i) { return values[i] == -kInf; });
  order.resize(std::min(k, order.size()));
  return order;
}

TEST(Largest, FindsTheLowestIndexOfTheMaximumAtEveryLength) {
  for (size_t count = 1; count < 600; ++count) {
    const auto values = noise(count, count, 10);
    const auto expected = std::max_element(values.begin(), values.end());
    const Largest found = largest(values);
    ASSERT_EQ(found.value, *expected) << count;
    ASSERT_EQ(found.index, static_cast<size_t>(expected - values.begin())) << count;
    ASSERT_TRUE(found.finite);
  }
}

TEST(Largest, ZerosOfEitherSignTie) {
  std::vector<float> values(700, -1.0f);
  values[3] = -0.0f;
  values[600] = 0.0f;
  EXPECT_EQ(largest(values).index, 3u);
}

TEST(Largest, SeesANonFiniteValueAnywhere) {
  for (const float bad : {NAN, kInf, -kInf}) {
    for (const size_t place : {0, 15, 16, 255, 256, 599}) {
      std::vector<float> values(600, 1.0f);
      values[place] = bad;
      EXPECT_FALSE(largest(values).finite) << bad << " at " << place;
    }
  }
}

TEST(SelectFirst, EqualsAFullSort) {
  for (const size_t count : {1u, 5u, 255u, 257u, 5000u}) {
    for (const float levels : {1.0f, 4.0f, 1e6f}) {
      for (const size_t k : {0u, 1u, 2u, 40u, 300u, 5000u, 6000u}) {
        const auto values = noise(count, count + k, levels);
        std::vector<uint32_t> order;
        select_first(values, k, order);
        ASSERT_EQ(order, sorted_first(values, k)) << count << " values, " << levels << " levels, k " << k;
      }
    }
  }
}

TEST(SelectFirst, RisingAndFallingValuesAreNoWorse) {
  std::vector<float> values(10000);
  std::iota(values.begin(), values.end(), 0.0f);
  std::vector<uint32_t> order;
  select_first(values, 50, order);
  EXPECT_EQ(order, sorted_first(values, 50));
  std::reverse(values.begin(), values.end());
  select_first(values, 50, order);
  EXPECT_EQ(order, sorted_first(values, 50));
}

TEST(SelectFirst, LeavesOutMinusInfinity) {
  const std::vector<float> values = {-kInf, 1, -kInf, 2};
  std::vector<uint32_t> order;
  select_first(values, 4, order);
  EXPECT_EQ(order, (std::vector<uint32_t>{3, 1}));
}

std::vector<int32_t> ids_of(const Candidates& candidates) {
  std::vector<int32_t> ids(candidates.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = candidates.id(i);
  return ids;
}

Candidates over(const std::vector<float>& logits) {
  Candidates candidates;
  candidates.begin(logits, largest(logits).value);
  return candidates;
}

using Ids = std::vector<int32_t>;
// Probabilities 1/2, 1/4, 1/8, 1/16, 1/16 at ids 3, 0, 4, 1 and 2.
const std::vector<float> kHalving = {-1 * 0.69314718f, -3 * 0.69314718f, -3 * 0.69314718f, 0.0f,
                                     -2 * 0.69314718f};

TEST(Candidates, TopKBreaksTiesByTheLowestId) {
  const std::vector<float> logits = {1, 3, 2, 3, 2, 2};
  auto candidates = over(logits);
  candidates.keep_top_k(4);
  EXPECT_EQ(ids_of(candidates), (Ids{1, 2, 3, 4}));
  candidates.keep_top_k(2);
  EXPECT_EQ(ids_of(candidates), (Ids{1, 3}));
  candidates.keep_top_k(99);
  EXPECT_EQ(ids_of(candidates), (Ids{1, 3}));
}

TEST(Candidates, TopPKeepsTheTokenThatCrossesTheLine) {
  const struct {
    float top_p;
    Ids kept;
  } cases[] = {{0.0f, {3}},        {0.49f, {3}},         {0.51f, {0, 3}},         {0.74f, {0, 3}},
               {0.76f, {0, 3, 4}}, {0.9f, {0, 1, 3, 4}}, {0.99f, {0, 1, 2, 3, 4}}};
  for (const auto& c : cases) {
    auto candidates = over(kHalving);
    candidates.keep_top_p(c.top_p);
    EXPECT_EQ(ids_of(candidates), c.kept) << c.top_p;
  }
}

TEST(Candidates, TopPOfTiesKeepsTheLowestIds) {
  const std::vector<float> logits(1000, 0.5f);
  auto candidates = over(logits);
  candidates.keep_top_p(0.25f);
  EXPECT_EQ(candidates.size(), 250u);
  EXPECT_EQ(candidates.id(249), 249);
}

TEST(Candidates, MinPIsRelativeToTheLikeliest) {
  auto candidates = over(kHalving);
  candidates.keep_min_p(0.24f);
  EXPECT_EQ(ids_of(candidates), (Ids{0, 3, 4}));
  candidates.keep_min_p(1.0f);
  EXPECT_EQ(ids_of(candidates), (Ids{3}));
}

// The entropy is 1.875 bits: surprises of 1, 2, 3, 4 and 4 bits are off by 0.875, 0.125, 1.125, 2.125
// and 2.125.
TEST(Candidates, TypicalKeepsTheExpectedSurpriseFirst) {
  const struct {
    float typical_p;
    Ids kept;
  } cases[] = {{0.0f, {0}}, {0.24f, {0}}, {0.26f, {0, 3}}, {0.76f, {0, 3, 4}}, {0.88f, {0, 1, 3, 4}}};
  for (const auto& c : cases) {
    auto candidates = over(kHalving);
    candidates.keep_typical(c.typical_p);
    EXPECT_EQ(ids_of(candidates), c.kept) << c.typical_p;
  }
}

TEST(Candidates, WeightsFollowWhatIsLeft) {
  auto candidates = over(kHalving);
  EXPECT_NEAR(static_cast<double>(candidates.total_weight()) / kUnitWeight, 2.0, 1e-6);
  candidates.keep_typical(0.24f);  // only id 0 is left, the largest now
  EXPECT_EQ(candidates.total_weight(), kUnitWeight);
}

TEST(Candidates, TheDrawWalksTheIds) {
  std::vector<float> logits(48, -kInf);
  for (const size_t id : {3, 16, 32, 47}) logits[id] = 2.0f;
  auto candidates = over(logits);
  EXPECT_EQ(candidates.draw(0.0f, 1.0f), 3);
  EXPECT_EQ(candidates.draw(0.25f, 1.0f), 16);
  EXPECT_EQ(candidates.draw(0.74f, 1.0f), 32);
  EXPECT_EQ(candidates.draw(0.75f, 1.0f), 47);
  EXPECT_EQ(candidates.draw(0x0.ffffffp0f, 1.0f), 47);
}

// 30 below the likeliest is less than 2^-40 of it: the whole unit interval belongs to the likeliest.
TEST(Candidates, NoWeightIsNeverDrawn) {
  const std::vector<float> logits = {-30.0f, 0.0f, -30.0f};
  auto candidates = over(logits);
  EXPECT_EQ(candidates.draw(0.0f, 1.0f), 1);
  EXPECT_EQ(candidates.draw(0x0.ffffffp0f, 1.0f), 1);
}

TEST(Candidates, RemovedTokensAreWorthTheSameAsBannedOnes) {
  const auto logits = noise(3000, 7, 12);
  std::vector<float> banned = logits;
  std::vector<uint32_t> order;
  select_first(logits, 500, order);
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < banned.size(); ++i) {
    if (!std::binary_search(order.begin(), order.end(), i)) banned[i] = -kInf;
  }
  auto sparse = over(logits);
  sparse.keep_top_k(500);
  auto dense = over(banned);
  EXPECT_EQ(sparse.total_weight(), dense.total_weight());
  for (uint64_t i = 0; i < 500; ++i) {
    const float u = uniform_draw(1, i);
    ASSERT_EQ(sparse.draw(u, 0.7f), dense.draw(u, 0.7f));
  }
}

}  // namespace
}  // namespace hb
