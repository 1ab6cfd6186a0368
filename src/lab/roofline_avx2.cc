#include <immintrin.h>

#include "lab/roofline-inl.h"

namespace hb::roofline {

uint64_t read_avx2(const uint8_t* data, uint64_t count) { return read_bytes<0>(data, count); }
uint64_t read_avx2_ahead(const uint8_t* data, uint64_t count) { return read_bytes<kReadAhead>(data, count); }

uint64_t f32_avx2(const uint8_t*, uint64_t count) { return multiply_add<Wide32, 12>(count); }

// Eight sums of 32 products a round: byte products to 16 bits, pairs of those to 32 bits, sum.
uint64_t dot_avx2(const uint8_t*, uint64_t count) {
  constexpr int kChains = 8;
  const __m256i ones = _mm256_set1_epi16(1);
  const __m256i inputs = _mm256_set1_epi8(-3);
  __m256i weights = _mm256_set1_epi8(7);
  __m256i sums[kChains] = {};
  for (uint64_t i = 0; i < count; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kChains; ++j) {
      opaque(weights);
      const __m256i pairs = _mm256_maddubs_epi16(weights, inputs);
      sums[j] = _mm256_add_epi32(sums[j], _mm256_madd_epi16(pairs, ones));
    }
  }
  return sum_lanes(sums);
}

}  // namespace hb::roofline
