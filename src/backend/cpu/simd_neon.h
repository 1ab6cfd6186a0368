// What NEON has beyond the compiler's vector arithmetic, with and without the dot-product extension.
// Included by simd.h only.
#pragma once

#include <arm_neon.h>

namespace hb::cpu::HB_CPU_ISA {

HB_ALWAYS_INLINE Floats load_half(const uint16_t* from) {
  return reinterpret_cast<Floats>(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))));
}
HB_ALWAYS_INLINE void store_half(uint16_t* to, Floats v) {
  vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(reinterpret_cast<float32x4_t>(v))));
}

HB_ALWAYS_INLINE uint8x8_t load_four_bytes(const uint8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, 4);
  return vreinterpret_u8_u32(vdup_n_u32(word));
}
HB_ALWAYS_INLINE Ints load_u8(const uint8_t* from) {
  return reinterpret_cast<Ints>(vmovl_u16(vget_low_u16(vmovl_u8(load_four_bytes(from)))));
}
HB_ALWAYS_INLINE Ints load_i8(const uint8_t* from) {
  const int8x8_t bytes = vreinterpret_s8_u8(load_four_bytes(from));
  return reinterpret_cast<Ints>(vmovl_s16(vget_low_s16(vmovl_s8(bytes))));
}
HB_ALWAYS_INLINE Ints load_u16(const uint16_t* from) {
  return reinterpret_cast<Ints>(vmovl_u16(vld1_u16(from)));
}

HB_ALWAYS_INLINE Bytes lookup16(const int8_t* table, Bytes index) {
  const uint8x16_t entries = vreinterpretq_u8_s8(vld1q_s8(table));
  return reinterpret_cast<Bytes>(vqtbl1q_u8(entries, reinterpret_cast<uint8x16_t>(index)));
}

inline constexpr int kSignedBias = 0;

// Four products of neighbouring bytes, summed. Codes are below 128, so they are signed bytes as they stand.
HB_ALWAYS_INLINE int32x4_t dot_word(int32x4_t sum, int8x16_t codes, int8x16_t x) {
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(sum, codes, x);
#else
  const int16x8_t low = vmull_s8(vget_low_s8(codes), vget_low_s8(x));
  const int16x8_t high = vmull_high_s8(codes, x);
  return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
}

HB_ALWAYS_INLINE Ints add_dot(Ints sum, Bytes codes, int8x16_t x) {
  return reinterpret_cast<Ints>(
      dot_word(reinterpret_cast<int32x4_t>(sum), reinterpret_cast<int8x16_t>(codes), x));
}

// See simd_x86.h.
template <int kCodeBits, int kGroups>
HB_ALWAYS_INLINE void dot(const Bytes* low, const Bytes* high, const int8_t* x, Ints& sum_low,
                          Ints& sum_high) {
#pragma GCC unroll 8
  for (int j = 0; j < kGroups; ++j) {
    const int8x16_t word = vreinterpretq_s8_s32(vld1q_dup_s32(reinterpret_cast<const int32_t*>(x + 4 * j)));
    sum_low = add_dot(sum_low, low[j], word);
    sum_high = add_dot(sum_high, high[j], word);
  }
}

}  // namespace hb::cpu::HB_CPU_ISA
