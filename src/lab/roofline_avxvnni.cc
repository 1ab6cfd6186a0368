#include <immintrin.h>

#include "lab/roofline-inl.h"

namespace hb::roofline {

// Twelve independent dot-product instructions of 32 products a round.
uint64_t dot_avxvnni(const uint8_t*, uint64_t count) {
  constexpr int kChains = 12;
  __m256i weights = _mm256_set1_epi8(7), inputs = _mm256_set1_epi8(-3);
  __m256i sums[kChains] = {};
  for (auto& sum : sums) opaque(sum);  // or the compiler sees that all chains are equal, and keeps one
  opaque(weights);
  opaque(inputs);
  for (uint64_t i = 0; i < count; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < kChains; ++j) sums[j] = _mm256_dpbusd_avx_epi32(sums[j], weights, inputs);
  }
  return sum_lanes(sums);
}

}  // namespace hb::roofline
