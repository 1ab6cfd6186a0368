// What AVX2, AVX-VNNI and AVX-512 have beyond the compiler's vector arithmetic. Included by simd.h only.
#pragma once

#include <immintrin.h>

namespace hb::cpu::HB_CPU_ISA {

#if defined(__AVX512BW__)
using Register = __m512i;
#define HB_X86(op) _mm512_##op
#else
using Register = __m256i;
#define HB_X86(op) _mm256_##op
#endif

HB_ALWAYS_INLINE Register reg(Bytes v) { return reinterpret_cast<Register>(v); }
HB_ALWAYS_INLINE Register reg(Ints v) { return reinterpret_cast<Register>(v); }

// kWidth f16 values.
HB_ALWAYS_INLINE Floats load_half(const uint16_t* from) {
#if defined(__AVX512BW__)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#endif
}
HB_ALWAYS_INLINE void store_half(uint16_t* to, Floats v) {
#if defined(__AVX512BW__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#else
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#endif
}

HB_ALWAYS_INLINE Ints load_u8(const uint8_t* from) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Ints>(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
  return reinterpret_cast<Ints>(_mm256_cvtepu8_epi32(_mm_loadu_si64(from)));
#endif
}
HB_ALWAYS_INLINE Ints load_i8(const uint8_t* from) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Ints>(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
  return reinterpret_cast<Ints>(_mm256_cvtepi8_epi32(_mm_loadu_si64(from)));
#endif
}
HB_ALWAYS_INLINE Ints load_u16(const uint16_t* from) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Ints>(
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#else
  return reinterpret_cast<Ints>(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
}

// table[index & 15] of every byte; indexes are below 16.
HB_ALWAYS_INLINE Bytes lookup16(const int8_t* table, Bytes index) {
  const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
#if defined(__AVX512BW__)
  return reinterpret_cast<Bytes>(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), reg(index)));
#else
  return reinterpret_cast<Bytes>(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), reg(index)));
#endif
}

HB_ALWAYS_INLINE Register broadcast_word(const int8_t* four_codes) {
  int32_t word;
  std::memcpy(&word, four_codes, 4);
  return HB_X86(set1_epi32)(word);
}

// dot<kCodeBits, kGroups>(low, high, x, sum_low, sum_high): for every group j, adds the products of the four
// codes in each 32-bit element of low[j] (and high[j]) and the four activations at x + 4 * j to sum_low
// (sum_high). Codes of 8 bits are signed; their sums must start at -kSignedBias times the activations' sum.

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)

// A signed code w enters the unsigned operand as w + 128.
inline constexpr int kSignedBias = 128;

// sum += the four products of each 32-bit element with the four activations at `word`.
HB_ALWAYS_INLINE Ints dot_word(Ints sum, Bytes codes, const int8_t* word) {
#if defined(__AVX512BW__)
  // The broadcast as a part of the load: a broadcast of its own, which compilers make to use it twice, takes
  // a slot of the units that multiply (Zen 5: 16 products with 8 broadcasts 705, with embedded ones 1030 of
  // 1054 Gop/s).
  using Word [[gnu::may_alias, gnu::aligned(1)]] = const int32_t;
  asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(codes), "m"(*reinterpret_cast<Word*>(word)));
  return sum;
#else
  return reinterpret_cast<Ints>(_mm256_dpbusd_avx_epi32(reg(sum), reg(codes), broadcast_word(word)));
#endif
}

template <int kCodeBits, int kGroups>
HB_ALWAYS_INLINE void dot(const Bytes* low, const Bytes* high, const int8_t* x, Ints& sum_low,
                          Ints& sum_high) {
  constexpr uint8_t kFlip = kCodeBits == 8 ? 0x80 : 0;
#pragma GCC unroll 8
  for (int j = 0; j < kGroups; ++j) {
    sum_low = dot_word(sum_low, low[j] ^ kFlip, x + 4 * j);
    sum_high = dot_word(sum_high, high[j] ^ kFlip, x + 4 * j);
  }
}

#else

inline constexpr int kSignedBias = 0;

// Sums of two neighbouring products, in 16 bits. A signed code moves its sign to the activation.
template <int kCodeBits>
HB_ALWAYS_INLINE Register multiply_pairs(Bytes codes, Register x) {
  if constexpr (kCodeBits < 8) {
    return HB_X86(maddubs_epi16)(reg(codes), x);
  } else {
#if defined(__AVX512BW__)
    const __mmask64 negative = _mm512_movepi8_mask(reg(codes));
    const Register signed_x = _mm512_mask_sub_epi8(x, negative, _mm512_setzero_si512(), x);
    return _mm512_maddubs_epi16(_mm512_abs_epi8(reg(codes)), signed_x);
#else
    return _mm256_maddubs_epi16(_mm256_abs_epi8(reg(codes)), _mm256_sign_epi8(x, reg(codes)));
#endif
  }
}

HB_ALWAYS_INLINE Ints add_pairs(Ints sum, Register pairs) {
  return sum + reinterpret_cast<Ints>(HB_X86(madd_epi16)(pairs, HB_X86(set1_epi16)(1)));
}

// As many results of vpmaddubsw fit into 16 bits as codes are small: 8 of 4 bits (8 * 2 * 15 * 127 = 30480),
// 4 of 5 bits (31496), 2 of 6 bits (32004); a signed byte's magnitude allows one (2 * 128 * 127 = 32512).
// Then vpmaddwd widens them.
template <int kCodeBits, int kGroups>
HB_ALWAYS_INLINE void dot(const Bytes* low, const Bytes* high, const int8_t* x, Ints& sum_low,
                          Ints& sum_high) {
  constexpr int kFit = kCodeBits <= 4 ? 8 : kCodeBits == 5 ? 4 : kCodeBits == 6 ? 2 : 1;
  constexpr int kRun = kFit < kGroups ? kFit : kGroups;
#pragma GCC unroll 8
  for (int first = 0; first < kGroups; first += kRun) {
    Register pairs_low = reg(Ints{}), pairs_high = reg(Ints{});
#pragma GCC unroll 8
    for (int j = first; j < first + kRun; ++j) {
      const Register word = broadcast_word(x + 4 * j);
      pairs_low = HB_X86(add_epi16)(pairs_low, multiply_pairs<kCodeBits>(low[j], word));
      pairs_high = HB_X86(add_epi16)(pairs_high, multiply_pairs<kCodeBits>(high[j], word));
    }
    sum_low = add_pairs(sum_low, pairs_low);
    sum_high = add_pairs(sum_high, pairs_high);
  }
}

#endif

}  // namespace hb::cpu::HB_CPU_ISA
