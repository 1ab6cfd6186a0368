// Passes over the vocabulary that the sampler is made of: the maximum, the first k, sums and weights, each
// with one result on every machine and no allocation once its buffers have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hb {

struct Largest {
  float value = 0.0f;
  size_t index = 0;     // the lowest index of that value
  bool finite = false;  // every value is finite; if not, the others mean nothing if a NaN is among the values
};

// REQUIRES: values is not empty. One pass, 16 lanes wide.
Largest largest(std::span<const float> values);

// Writes to `order` the first k indices by (value descending, index ascending), in that order. Values of
// -infinity are never selected, so `order` may be shorter. Linear in the values; only about 2k of them are
// ever sorted. REQUIRES: no NaN.
void select_first(std::span<const float> values, size_t k, std::vector<uint32_t>& order);

// The weight of the likeliest candidate. A weight is e^(logit - largest) in units of 2^-40, rounded down: an
// integer, so that sums are exact and the same in any order. What is less likely has no weight and is never
// drawn.
inline constexpr uint64_t kUnitWeight = uint64_t{1} << 40;
inline constexpr size_t kMaxVocabulary = size_t{1} << 22;  // keeps every sum below 2^63

// The tokens that are still in the game: their ids, ascending, and their logits.
class Candidates {
 public:
  // Starts with the whole vocabulary. BORROWS logits until the next begin().
  // REQUIRES: at most kMaxVocabulary logits, no NaN, and largest_logit, their maximum, above -infinity.
  void begin(std::span<const float> logits, float largest_logit);

  // The filters. Each leaves at least one candidate.
  void keep_top_k(size_t k);
  void keep_typical(float probability);
  void keep_top_p(float probability);
  void keep_min_p(float fraction);

  // The first id at which the running sum of the weights e^((logit - largest) x inverse_temperature), ids
  // ascending, exceeds u times their total. REQUIRES: 0 <= u < 1.
  int32_t draw(float u, float inverse_temperature);

  size_t size() const { return logits_.size(); }
  int32_t id(size_t index) const { return whole_ ? static_cast<int32_t>(index) : ids_[index]; }

  // The sum of the candidates' weights, in kUnitWeight.
  uint64_t total_weight();

 private:
  void compute_weights(float inverse_temperature);
  double expected_distance() const;
  void keep_mass(std::span<const float> keys, float probability);
  void select_mass(std::span<const float> keys, uint64_t mass);
  void keep_order();

  std::span<const float> logits_;  // of the candidates
  float largest_ = 0.0f;
  bool whole_ = true;               // every id is a candidate, ids_ is unused
  std::vector<int32_t> ids_;        // ascending
  std::vector<float> kept_logits_;  // behind logits_ once something was removed
  std::vector<uint64_t> weights_;
  uint64_t total_ = 0;  // of weights_
  std::vector<float> typical_keys_;
  std::vector<uint32_t> order_;  // indices of candidates, the output of a selection
};

}  // namespace hb
