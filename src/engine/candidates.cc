#include "engine/candidates.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/exact_math.h"

namespace hb {
namespace {

constexpr size_t kBlock = 256;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Four chains of four lanes, one register each on every processor, in the compiler's own vectors: from plain
// loops GCC 12 makes code that takes three times as long.
float largest_of_block(std::span<const float> block) {
  using Lanes [[gnu::vector_size(16)]] = float;
  constexpr size_t kChains = 4, kStep = kChains * 4;
  Lanes chains[kChains];
  std::fill_n(chains, kChains, Lanes{-kInfinity, -kInfinity, -kInfinity, -kInfinity});
  const size_t whole = block.size() / kStep * kStep;
  for (size_t i = 0; i < whole; i += kStep) {
    for (size_t chain = 0; chain < kChains; ++chain) {
      Lanes x;
      std::memcpy(&x, &block[i + 4 * chain], sizeof x);
      chains[chain] = x > chains[chain] ? x : chains[chain];
    }
  }
  float result = -kInfinity;
  for (const Lanes& lanes : chains) {
    for (size_t lane = 0; lane < 4; ++lane) result = lanes[lane] > result ? lanes[lane] : result;
  }
  for (const float x : block.subspan(whole)) result = x > result ? x : result;
  return result;
}

bool all_finite(std::span<const float> block) {
  uint32_t bad = 0;
  for (const float x : block) bad |= (std::bit_cast<uint32_t>(x) & 0x7f800000u) == 0x7f800000u;
  return bad == 0;
}

// The order of a selection: by value, descending, then by index, ascending.
struct Before {
  std::span<const float> values;
  bool operator()(uint32_t a, uint32_t b) const {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  }
};

void sort_first(std::span<const float> values, size_t k, std::vector<uint32_t>& order) {
  const Before before{values};
  if (order.size() > k) {
    std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(k), order.end(), before);
    order.resize(k);
  }
  std::sort(order.begin(), order.end(), before);
}

}  // namespace

Largest largest(std::span<const float> values) {
  HB_CHECK(!values.empty());
  Largest result{-kInfinity, 0, true};
  size_t block_begin = 0;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    result.finite = all_finite(block) && result.finite;
    const float value = largest_of_block(block);
    if (value > result.value) {
      result.value = value;
      block_begin = begin;
    }
  }
  const auto where =
      std::find(values.begin() + static_cast<ptrdiff_t>(block_begin), values.end(), result.value);
  result.index = static_cast<size_t>(where - values.begin());
  return result;
}

void select_first(std::span<const float> values, size_t k, std::vector<uint32_t>& order) {
  order.clear();
  k = std::min(k, values.size());
  if (k == 0) return;
  const size_t pool_size = std::min(values.size(), 2 * k + kBlock);
  // The first k so far are all at least the threshold: a later equal value comes after them.
  float threshold = -kInfinity;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, values.size());
    if (!(largest_of_block(values.subspan(begin, end - begin)) > threshold)) continue;
    for (size_t i = begin; i < end; ++i) {
      if (values[i] > threshold) order.push_back(static_cast<uint32_t>(i));
    }
    if (order.size() < pool_size) continue;
    sort_first(values, k, order);
    threshold = values[order.back()];
  }
  sort_first(values, k, order);
}

void Candidates::begin(std::span<const float> logits, float largest_logit) {
  HB_CHECK(largest_logit > -kInfinity);
  HB_CHECK_LE(logits.size(), kMaxVocabulary);
  logits_ = logits;
  largest_ = largest_logit;
  whole_ = true;
}

void Candidates::keep_top_k(size_t k) {
  if (k >= size()) return;
  select_first(logits_, k, order_);
  keep_order();
}

// Ranks by how far a token's surprise (-log p) is from the expected one (the entropy).
void Candidates::keep_typical(float probability) {
  compute_weights(1.0f);
  const double expected = expected_distance();
  typical_keys_.resize(size());
  for (size_t i = 0; i < size(); ++i) {
    const double distance = largest_ - logits_[i];
    const double off = distance - expected;
    const auto key = static_cast<float>(off < 0 ? off : -off);
    typical_keys_[i] = weights_[i] == 0 ? -kInfinity : key;
  }
  keep_mass(typical_keys_, probability);
}

void Candidates::keep_top_p(float probability) {
  compute_weights(1.0f);
  keep_mass(logits_, probability);
}

void Candidates::keep_min_p(float fraction) {
  compute_weights(1.0f);
  const auto least = static_cast<uint64_t>(fraction * static_cast<float>(kUnitWeight));
  order_.clear();
  for (size_t i = 0; i < size(); ++i) {
    if (weights_[i] >= least) order_.push_back(static_cast<uint32_t>(i));
  }
  keep_order();
}

int32_t Candidates::draw(float u, float inverse_temperature) {
  compute_weights(inverse_temperature);
  const auto target = static_cast<uint64_t>(u * static_cast<double>(total_));
  uint64_t running = 0;
  size_t i = 0;
  while ((running += weights_[i]) <= target) ++i;
  return id(i);
}

uint64_t Candidates::total_weight() {
  compute_weights(1.0f);
  return total_;
}

void Candidates::compute_weights(float inverse_temperature) {
  weights_.resize(size());
  total_ = 0;
  float scaled[kBlock];
  for (size_t begin = 0; begin < size(); begin += kBlock) {
    const size_t count = std::min(kBlock, size() - begin);
    for (size_t i = 0; i < count; ++i) {  // apart from the integers, so that the compiler makes vectors of it
      const float difference = logits_[begin + i] - largest_;
      const float exponent = difference * inverse_temperature;
      scaled[i] = exact::exp(exponent) * static_cast<float>(kUnitWeight);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto weight = static_cast<uint64_t>(static_cast<int64_t>(scaled[i]));
      weights_[begin + i] = weight;
      total_ += weight;
    }
  }
}

// The mean of (largest - logit): the entropy, less the surprise of the likeliest. With it, the surprise less
// the entropy needs no logarithm. The one sum that is not of integers: in double, ids ascending.
double Candidates::expected_distance() const {
  double sum = 0;
  for (size_t i = 0; i < size(); ++i) {
    if (weights_[i] == 0) continue;  // a banned token is infinitely far
    const double distance = largest_ - logits_[i];
    const double part = distance * static_cast<double>(weights_[i]);
    sum += part;
  }
  return sum / static_cast<double>(total_);
}

// Keeps the first candidates by (key descending, id ascending) until their weights reach this part of the
// total, the one that crosses it included. Sorts a few first, because a few are nearly always enough.
void Candidates::keep_mass(std::span<const float> keys, float probability) {
  constexpr size_t kFew = 128;
  const auto mass = static_cast<uint64_t>(probability * static_cast<double>(total_));
  select_first(keys, kFew, order_);
  uint64_t running = 0;
  size_t kept = 0;
  while (kept < order_.size() && (kept == 0 || running < mass)) running += weights_[order_[kept++]];
  order_.resize(kept);
  if (running < mass) select_mass(keys, mass);
  keep_order();
}

// The same by halving, in linear time: order_ becomes the kept indices, ascending.
void Candidates::select_mass(std::span<const float> keys, uint64_t mass) {
  const Before before{keys};
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0u);
  auto begin = order_.begin(), end = order_.end();  // the one that crosses the line is in between
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, before);
    uint64_t left = 0;
    for (auto i = begin; i != middle; ++i) left += weights_[*i];
    if (left >= mass) {
      end = middle;
    } else {
      mass -= left;
      begin = middle;
    }
  }
  const uint32_t last = *begin;
  order_.clear();
  for (uint32_t i = 0; i < size(); ++i) {
    if (!before(last, i)) order_.push_back(i);
  }
}

// Makes the candidates in order_ the only ones. In place: the index of a kept one is never below its new
// place.
void Candidates::keep_order() {
  HB_CHECK(!order_.empty());
  if (!std::is_sorted(order_.begin(), order_.end())) std::sort(order_.begin(), order_.end());
  if (ids_.size() < order_.size()) ids_.resize(order_.size());
  if (kept_logits_.size() < order_.size()) kept_logits_.resize(order_.size());
  for (size_t place = 0; place < order_.size(); ++place) {
    ids_[place] = id(order_[place]);
    kept_logits_[place] = logits_[order_[place]];
  }
  logits_ = std::span<const float>(kept_logits_).first(order_.size());
  whole_ = false;
  largest_ = largest(logits_).value;
}

}  // namespace hb
