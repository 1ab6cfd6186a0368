// Activations entering a quantised matvec: blocks of 32, int8 codes with one scale.
#pragma once

#include <cstdint>

namespace hb {

inline constexpr uint32_t kBlockElems = 32;

// Value i is about codes[i] * scale.
struct ActivationBlock {
  int8_t codes[kBlockElems];  // [-127, 127]
  int32_t half_sum[2];        // sums of codes 0…15 and 16…31
  float scale;                // absmax * rcp(127), 0 for a block below the contract's range
  float weighted_sum;         // scale * float(half_sum[0] + half_sum[1])
};

// scale * float(half_sum[h]), used by formats whose minimum belongs to a half block.
inline float half_weighted_sum(const ActivationBlock& block, int half) {
  const float sum = static_cast<float>(block.half_sum[half]);
  return block.scale * sum;
}

// absmax < 2^-44: all zero. Otherwise code = round-half-even(value * (127 * rcp(absmax))).
// REQUIRES: 32 finite values of at most 2^40 in magnitude; others give codes and sums without a meaning.
ActivationBlock quantise_block(const float* values);

}  // namespace hb
