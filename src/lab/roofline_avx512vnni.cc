#include <immintrin.h>

#include "lab/roofline-inl.h"

namespace hb::roofline {

// Sixteen independent dot-product instructions of 64 products a round.
uint64_t dot_avx512vnni(const uint8_t*, uint64_t count) {
  constexpr int kChains = 16;
  __m512i weights = _mm512_set1_epi8(7), inputs = _mm512_set1_epi8(-3);
  __m512i sums[kChains] = {};
  for (auto& sum : sums) opaque(sum);  // or the compiler sees that all chains are equal, and keeps one
  opaque(weights);
  opaque(inputs);
  for (uint64_t i = 0; i < count; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kChains; ++j) sums[j] = _mm512_dpbusd_epi32(sums[j], weights, inputs);
  }
  return sum_lanes(sums);
}

}  // namespace hb::roofline
