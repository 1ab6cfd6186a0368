#include <arm_neon.h>

#include "lab/roofline-inl.h"

namespace hb::roofline {

// Sixteen independent dot-product instructions of 16 products a round.
uint64_t dot_neondot(const uint8_t*, uint64_t count) {
  constexpr int kChains = 16;
  int8x16_t weights = vdupq_n_s8(7), inputs = vdupq_n_s8(-3);
  int32x4_t sums[kChains] = {};
  for (auto& sum : sums) opaque(sum);  // or the compiler sees that all chains are equal, and keeps one
  opaque(weights);
  opaque(inputs);
  for (uint64_t i = 0; i < count; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kChains; ++j) sums[j] = vdotq_s32(sums[j], weights, inputs);
  }
  return sum_lanes(sums);
}

}  // namespace hb::roofline
