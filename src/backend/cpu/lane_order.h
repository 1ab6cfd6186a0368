// The order in which the CPU kernels visit the contract's sixteen lanes, and how they join them.
//
// The contract adds lanes in a tree: l and l + 8, then + 4, + 2, + 1. Visited in bit-reversed order, 0 8 4 12
// 2 10 …, a lane that is complete meets its partner at once, so that the tree needs a stack of four partial
// sums instead of sixteen: after the i-th lane, one join for every trailing one in the binary form of i.
#pragma once

#include <cstdint>

#include "base/exact_math.h"

namespace hb::cpu {

inline constexpr uint32_t kLanes = 16;
inline constexpr uint32_t kTreeDepth = 4;
inline constexpr uint32_t kLaneOrder[kLanes] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

// The place of a lane in that order: its four bits, reversed.
constexpr uint32_t visit_of_lane(uint32_t lane) { return kLaneOrder[lane]; }

// How many waiting sums the lane that is visited as number `visit` meets.
HB_ALWAYS_INLINE constexpr uint32_t joins_after(uint32_t visit) {
  uint32_t joins = 0;
  while (visit >> joins & 1) ++joins;
  return joins;
}

// The stored order of `count` items that belong to lanes by index mod 16: calls f(item, position) with
// position ascending from 0: lane by lane in kLaneOrder, ascending within a lane.
template <class F>
void for_each_in_lane_order(uint32_t count, F&& f) {
  uint32_t position = 0;
  for (const uint32_t lane : kLaneOrder) {
    for (uint32_t item = lane; item < count; item += kLanes) f(item, position++);
  }
}

}  // namespace hb::cpu
