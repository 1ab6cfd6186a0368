#include "engine/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/exact_math.h"
#include "engine/random.h"

namespace hb {
namespace {

using testing::ElementsAre;
using Logits = std::vector<float>;

constexpr float kInf = INFINITY;

Sampler make(SamplerOptions options, size_t vocab) {
  auto sampler = Sampler::create(std::move(options), static_cast<int32_t>(vocab));
  EXPECT_TRUE(sampler) << sampler.error().message;
  return std::move(*sampler);
}

int32_t id_of(Sampler& sampler, const Logits& logits) {
  const auto token = sampler.sample(logits);
  EXPECT_TRUE(token) << token.error().message;
  return token ? token->id : -1;
}

std::vector<int32_t> stream(Sampler& sampler, const Logits& logits, int tokens) {
  std::vector<int32_t> ids;
  for (int i = 0; i < tokens; ++i) {
    ids.push_back(id_of(sampler, logits));
    sampler.accept(ids.back());
  }
  return ids;
}

// A model's logits, roughly: sums of draws, multiples of 2^-16, with a long tail to the right.
Logits model_like(size_t vocab, uint64_t seed) {
  Logits logits(vocab);
  for (size_t i = 0; i < vocab; ++i) {
    const float a = uniform_draw(seed, 2 * i), b = uniform_draw(seed, 2 * i + 1);
    logits[i] = std::floor((a + b + a * a * a * b * 8) * 65536) / 65536;
  }
  return logits;
}

TEST(Greedy, TakesTheLargestAndTiesToTheLowestId) {
  Sampler sampler = make({.temperature = 0}, 5);
  EXPECT_EQ(id_of(sampler, {1, 3, 2, 3, -5}), 1);
  EXPECT_EQ(id_of(sampler, {-0.0f, 0.0f, -0.0f, -1, -1}), 0);
  EXPECT_EQ(id_of(sampler, {-3e38f, -3e38f, -2e38f, -3e38f, -3e38f}), 2);
}

TEST(Greedy, IgnoresFilters) {
  Sampler sampler = make({.top_k = 1, .typical_p = 0.1f, .top_p = 0.1f, .min_p = 1, .temperature = 0}, 3);
  EXPECT_EQ(id_of(sampler, {1, 2, 0}), 1);
}

TEST(Sampler, RefusesLogitsThatAreNotFinite) {
  for (const float temperature : {0.0f, 1.0f}) {
    for (const float bad : {NAN, kInf, -kInf}) {
      Sampler sampler = make({.temperature = temperature}, 40);
      Logits logits(40, 1.0f);
      logits[33] = bad;
      const auto token = sampler.sample(logits);
      ASSERT_FALSE(token);
      EXPECT_EQ(token.error().code, ErrorCode::kDevice);
      EXPECT_EQ(token.error().message.rfind("logit 33 is ", 0), 0u) << token.error().message;
    }
  }
}

TEST(Sampler, HugeLogitsAreStillOrdinary) {
  Sampler sampler = make({.repetition_penalty = 0.01f, .temperature = 1e-6f}, 3);
  sampler.accept(1);
  EXPECT_EQ(id_of(sampler, {-3e38f, 3e38f, 1}), 1);
}

TEST(Bias, MovesAndBans) {
  Sampler moved = make({.logit_bias = {{2, 1.5f}}, .temperature = 0}, 3);
  EXPECT_EQ(id_of(moved, {1, 2, 1}), 2);
  Sampler banned = make({.logit_bias = {{1, -kInf}}, .temperature = 0}, 3);
  EXPECT_EQ(id_of(banned, {1, 20, 0}), 0);
  Sampler drawn = make({.logit_bias = {{1, -kInf}}, .temperature = 100}, 3);
  for (const int32_t id : stream(drawn, {1, 20, 0}, 200)) EXPECT_NE(id, 1);
}

TEST(Bias, BanningEverythingIsAnError) {
  Sampler sampler = make({.logit_bias = {{0, -kInf}, {1, -kInf}}}, 2);
  const auto token = sampler.sample(Logits{1, 2});
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, ErrorCode::kInvalidArgument);
}

TEST(Penalties, RepetitionShrinksBothSigns) {
  Sampler sampler = make({.repetition_penalty = 2, .temperature = 0}, 3);
  sampler.accept(0);
  EXPECT_EQ(id_of(sampler, {3, 1.6f, 1}), 1);     // 3 becomes 1.5
  EXPECT_EQ(id_of(sampler, {-1, -1.9f, -2}), 1);  // -1 becomes -2
}

TEST(Penalties, FrequencyCountsAndPresenceDoesNot) {
  Sampler frequency = make({.frequency_penalty = 1, .temperature = 0}, 3);
  Sampler presence = make({.presence_penalty = 1, .temperature = 0}, 3);
  for (int i = 0; i < 3; ++i) {
    frequency.accept(0);
    presence.accept(0);
  }
  EXPECT_EQ(id_of(frequency, {3.5f, 1, 0}), 1);    // 0.5
  EXPECT_EQ(id_of(presence, {3.5f, 2.4f, 0}), 0);  // 2.5
  EXPECT_EQ(id_of(presence, {3.5f, 2.6f, 0}), 1);
}

TEST(Penalties, TheWindowForgetsTheOldest) {
  Sampler sampler = make({.presence_penalty = 5, .penalty_last_n = 2, .temperature = 0}, 4);
  const Logits logits = {4, 3, 2, 1};
  EXPECT_THAT(stream(sampler, logits, 7), ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(Penalties, AWindowOfNoneIsOff) {
  Sampler sampler = make({.presence_penalty = 5, .penalty_last_n = 0, .temperature = 0}, 2);
  EXPECT_THAT(stream(sampler, {2, 1}, 3), ElementsAre(0, 0, 0));
}

TEST(Penalties, ActOnTheBiasedLogit) {
  Sampler sampler = make({.logit_bias = {{0, 2.0f}}, .repetition_penalty = 2, .temperature = 0}, 2);
  sampler.accept(0);
  EXPECT_EQ(id_of(sampler, {1, 1.6f}), 1);  // (1 + 2) / 2 is 1.5
  EXPECT_EQ(id_of(sampler, {1, 1.4f}), 0);
}

// What the header says, without any of the short cuts: dense, fully sorted, removed logits are -infinity.
class PlainChain {
 public:
  PlainChain(Logits logits, const SamplerOptions& options) : logits_(std::move(logits)) {
    if (options.top_k > 0) keep(rank(logits_), static_cast<size_t>(options.top_k));
    if (options.typical_p < 1) keep_typical(options.typical_p);
    if (options.top_p < 1) keep_mass(rank(logits_), options.top_p);
    if (options.min_p > 0) {
      const auto w = weights(1);
      const auto least = static_cast<uint64_t>(options.min_p * 0x1p40f);
      for (size_t i = 0; i < w.size(); ++i) logits_[i] = w[i] >= least ? logits_[i] : -kInf;
    }
  }

  size_t kept() const {
    return std::count_if(logits_.begin(), logits_.end(), [](float l) { return l > -kInf; });
  }

  int32_t draw(float u, float temperature) const {
    const auto w = weights(exact::rcp(temperature));
    const auto target = static_cast<uint64_t>(u * static_cast<double>(total(w)));
    uint64_t running = 0;
    for (size_t i = 0; i < w.size(); ++i) {
      running += w[i];
      if (running > target) return static_cast<int32_t>(i);
    }
    return -1;
  }

 private:
  using Order = std::vector<size_t>;

  static Order rank(const Logits& keys) {
    Order order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] > keys[b]; });
    return order;
  }

  using Weights = std::vector<uint64_t>;

  Weights weights(float inverse_temperature) const {
    const float top = *std::max_element(logits_.begin(), logits_.end());
    Weights w;
    for (const float logit : logits_) {
      const float exponent = (logit - top) * inverse_temperature;
      w.push_back(static_cast<uint64_t>(exact::exp(exponent) * 0x1p40f));
    }
    return w;
  }

  static uint64_t total(const Weights& w) { return std::accumulate(w.begin(), w.end(), uint64_t{0}); }

  void keep(const Order& order, size_t count) {
    for (size_t i = count; i < order.size(); ++i) logits_[order[i]] = -kInf;
  }

  void keep_mass(const Order& order, float part) {
    const auto w = weights(1);
    const auto mass = static_cast<uint64_t>(part * static_cast<double>(total(w)));
    uint64_t running = w[order[0]];
    size_t count = 1;
    while (count < order.size() && running < mass) running += w[order[count++]];
    keep(order, count);
  }

  void keep_typical(float typical_p) {
    const auto w = weights(1);
    const float top = *std::max_element(logits_.begin(), logits_.end());
    std::vector<double> parts(w.size());
    for (size_t i = 0; i < w.size(); ++i) {
      if (w[i] > 0) parts[i] = static_cast<double>(w[i]) * static_cast<double>(top - logits_[i]);
    }
    const double expected = std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(total(w));
    Logits keys(w.size());
    for (size_t i = 0; i < w.size(); ++i)
      keys[i] = -static_cast<float>(std::fabs((top - logits_[i]) - expected));
    keep_mass(rank(keys), typical_p);
  }

  Logits logits_;
};

TEST(Chain, EqualsThePlainChainBitForBit) {
  const std::vector<SamplerOptions> chains = {
      {.temperature = 1},
      {.temperature = 0.3f},
      {.top_k = 40},
      {.top_p = 0.9f},
      {.top_p = 0.999f},
      {.min_p = 0.05f},
      {.typical_p = 0.5f},
      {.typical_p = 0.95f, .top_p = 0.9f, .min_p = 0.02f},
      {.top_k = 1000, .typical_p = 0.9f, .top_p = 0.8f, .min_p = 0.1f, .temperature = 2},
      {.top_k = 1 << 30, .min_p = 1e-9f, .temperature = 0.01f},
  };
  for (const size_t vocab : {1u, 17u, 4099u}) {
    for (size_t c = 0; c < chains.size(); ++c) {
      SamplerOptions options = chains[c];
      options.seed = 99 + c;
      Sampler sampler = make(options, vocab);
      Logits logits = model_like(vocab, c);
      for (float& logit : logits) logit *= 4;
      const PlainChain plain(logits, options);
      for (uint64_t i = 0; i < 60; ++i) {
        const int32_t id = id_of(sampler, logits);
        ASSERT_EQ(id, plain.draw(uniform_draw(options.seed, i), options.temperature))
            << "chain " << c << ", vocabulary " << vocab << ", draw " << i << ", " << plain.kept() << " kept";
        sampler.accept(id);
      }
    }
  }
}

TEST(Draws, FollowTheProbabilities) {
  const Logits logits = {0.0f, 1.0f, 2.0f, -1.0f, 0.5f};
  for (const float temperature : {0.5f, 1.0f, 2.0f}) {
    Sampler sampler = make({.temperature = temperature, .seed = 5}, logits.size());
    std::map<int32_t, double> counts;
    constexpr int kDraws = 20000;
    for (const int32_t id : stream(sampler, logits, kDraws)) counts[id] += 1;
    double total = 0, chi_square = 0;
    for (const float l : logits) total += std::exp(l / temperature);
    for (size_t i = 0; i < logits.size(); ++i) {
      const double expected = kDraws * std::exp(logits[i] / temperature) / total;
      chi_square += std::pow(counts[static_cast<int32_t>(i)] - expected, 2) / expected;
    }
    EXPECT_LT(chi_square, 18.5) << "temperature " << temperature;  // 4 degrees of freedom, p = 0.001
  }
}

TEST(Draws, TheOrderInWhichOptionsAreSetDoesNotMatter) {
  SamplerOptions a, b;
  a.top_p = 0.8f, a.logit_bias[3] = 1, a.logit_bias[1] = 2, a.top_k = 5, a.presence_penalty = 0.5f;
  b.presence_penalty = 0.5f, b.top_k = 5, b.logit_bias[1] = 2, b.logit_bias[3] = 1, b.top_p = 0.8f;
  const Logits logits = model_like(50, 1);
  Sampler first = make(a, 50), second = make(b, 50);
  EXPECT_EQ(stream(first, logits, 50), stream(second, logits, 50));
}

TEST(Draws, SamplingTwiceWithoutAcceptingGivesTheSameToken) {
  Sampler sampler = make({.seed = 3}, 500);
  const Logits logits = model_like(500, 3);
  const int32_t id = id_of(sampler, logits);
  EXPECT_EQ(id_of(sampler, logits), id);
  sampler.accept(id);
  EXPECT_NE(id_of(sampler, logits), id);  // of 500 tokens, with this seed
}

TEST(State, RestoredContinuesTheSameStream) {
  const SamplerOptions options = {.frequency_penalty = 0.7f, .penalty_last_n = 5, .seed = 11};
  const Logits logits = model_like(20, 8);
  Sampler original = make(options, 20), restored = make(options, 20);
  stream(original, logits, 13);
  stream(restored, logits, 4);
  const SamplerState state = original.state();
  EXPECT_EQ(state.accepted, 13u);
  EXPECT_EQ(state.window.size(), 5u);
  ASSERT_TRUE(restored.restore(state));
  EXPECT_EQ(restored.state().window, state.window);
  EXPECT_EQ(stream(original, logits, 40), stream(restored, logits, 40));
}

TEST(State, ResetStartsTheStreamAgain) {
  const Logits logits = model_like(20, 8);
  Sampler sampler = make({.presence_penalty = 1, .penalty_last_n = 5, .seed = 11}, 20);
  const auto first = stream(sampler, logits, 30);
  sampler.reset();
  EXPECT_EQ(stream(sampler, logits, 30), first);
}

TEST(State, AWindowOfAnotherModelIsRefusedAndChangesNothing) {
  Sampler sampler = make({}, 20);
  sampler.accept(7);
  for (const int32_t id : {-1, 20}) {
    const Status status = sampler.restore({.accepted = 3, .window = {1, id}});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
  }
  EXPECT_EQ(sampler.state().accepted, 1u);
  EXPECT_THAT(sampler.state().window, ElementsAre(7));
}

TEST(State, ALongerWindowKeepsItsNewest) {
  Sampler sampler = make({.penalty_last_n = 2}, 20);
  ASSERT_TRUE(sampler.restore({.accepted = 9, .window = {1, 2, 3, 4}}));
  EXPECT_THAT(sampler.state().window, ElementsAre(3, 4));
  EXPECT_EQ(sampler.state().accepted, 9u);
}

TEST(Logprobs, AreTheModelsOwnWhateverTheChain) {
  Sampler sampler = make({.logit_bias = {{2, 100.0f}}, .temperature = 0, .logprobs = 3}, 5);
  const Logits logits = {0, 3, 1, 3, -200};
  const auto token = sampler.sample(logits);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->id, 2);
  const double log_total = std::log(std::exp(0.0) + 2 * std::exp(3.0) + std::exp(1.0));
  EXPECT_NEAR(*token->logprob, 1 - log_total, 1e-6);
  ASSERT_EQ(token->likeliest.size(), 3u);
  EXPECT_EQ(token->likeliest[0].id, 1);
  EXPECT_EQ(token->likeliest[1].id, 3);
  EXPECT_EQ(token->likeliest[2].id, 2);
  EXPECT_NEAR(token->likeliest[0].logprob, 3 - log_total, 1e-6);
  EXPECT_FLOAT_EQ(token->likeliest[2].logprob, *token->logprob);
}

TEST(Logprobs, AreAbsentUnlessAskedFor) {
  Sampler off = make({.temperature = 0}, 2);
  EXPECT_FALSE(off.sample(Logits{1, 2})->logprob);
  Sampler chosen = make({.temperature = 0, .logprobs = 0}, 2);
  EXPECT_TRUE(chosen.sample(Logits{1, 2})->logprob);
  EXPECT_TRUE(chosen.sample(Logits{1, 2})->likeliest.empty());
  Sampler all = make({.temperature = 0, .logprobs = 5}, 2);
  EXPECT_EQ(all.sample(Logits{1, 2})->likeliest.size(), 2u);
}

// Every platform and compiler must repeat these.
TEST(Golden, StreamsOfFixedSeeds) {
  Logits logits = model_like(49152, 2024);
  for (float& logit : logits) logit *= 4;
  const auto first_ids = [&](SamplerOptions options) {
    Sampler sampler = make(options, logits.size());
    return stream(sampler, logits, 8);
  };
  EXPECT_THAT(first_ids({.temperature = 1, .seed = 1}),
              ElementsAre(41366, 33886, 12714, 37565, 12714, 8858, 20421, 22157));
  EXPECT_THAT(first_ids({.top_k = 40, .top_p = 0.95f, .seed = 1}),
              ElementsAre(40743, 34488, 15241, 37565, 15241, 8858, 18033, 20421));
  EXPECT_THAT(first_ids({.typical_p = 0.2f, .temperature = 0.3f, .seed = 0xfedcba9876543210}),
              ElementsAre(31040, 10610, 17096, 17096, 6130, 17096, 31040, 29013));
  EXPECT_THAT(
      first_ids({.repetition_penalty = 1.3f, .frequency_penalty = 0.5f, .min_p = 0.5f, .temperature = 0.1f}),
      ElementsAre(37565, 34488, 8858, 18033, 15617, 11244, 20421, 17392));
}

}  // namespace
}  // namespace hb
