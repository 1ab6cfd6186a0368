// The sixteen logical lanes of every float sum, and the order in which they are joined.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hb::ref {

inline constexpr uint32_t kLanes = 16;
inline constexpr uint32_t kSpan = 256;  // positions of attention that share one tree, by absolute position

// Accumulators that start at +0; `add` in the order that the contract gives to the terms of a lane.
struct Lanes {
  float lane[kLanes] = {};

  void add(uint32_t index, float term) { lane[index] = lane[index] + term; }

  // The tree: lanes i and i + 8, then i and i + 4, i + 2, i + 1.
  float total() const {
    float sums[kLanes];
    std::copy_n(lane, kLanes, sums);
    for (uint32_t distance = 8; distance > 0; distance /= 2) {
      for (uint32_t i = 0; i < distance; ++i) sums[i] = sums[i] + sums[i + distance];
    }
    return sums[0];
  }
};

// The sum of term(i) for i in [0, count): i belongs to lane i mod 16.
template <class Term>
float sum_by_element(uint32_t count, Term term) {
  Lanes lanes;
  for (uint32_t i = 0; i < count; ++i) lanes.add(i % kLanes, term(i));
  return lanes.total();
}

// The sum of term(t) for the cached positions t in [first, last]. Spans of 256 start at multiples of 256 and
// are added in ascending order; within a span, position t belongs to lane lane_of(t mod 256).
template <class Term, class LaneOf>
float sum_by_position(uint32_t first, uint32_t last, Term term, LaneOf lane_of) {
  float sum = 0.0f;
  for (uint32_t span = first / kSpan; span <= last / kSpan; ++span) {
    Lanes lanes;
    const uint32_t begin = std::max(first, span * kSpan);
    const uint32_t end = std::min(last, span * kSpan + (kSpan - 1));
    for (uint32_t t = begin; t <= end; ++t) lanes.add(lane_of(t % kSpan), term(t));
    sum = sum + lanes.total();
  }
  return sum;
}

// Weights are summed as vectors of neighbours are loaded; weighted values sixteen neighbours a lane, so that
// a lane reads consecutive rows of the cache.
inline uint32_t lane_of_weight(uint32_t t) { return t % kLanes; }
inline uint32_t lane_of_value(uint32_t t) { return t / kLanes; }

}  // namespace hb::ref
