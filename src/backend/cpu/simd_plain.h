// The same operations without intrinsics, for processors that have no row of their own. Included by simd.h
// only.
#pragma once

#include "base/half.h"

namespace hb::cpu::HB_CPU_ISA {

HB_ALWAYS_INLINE Floats load_half(const uint16_t* from) {
  return Floats{f16_to_f32(from[0]), f16_to_f32(from[1]), f16_to_f32(from[2]), f16_to_f32(from[3])};
}
HB_ALWAYS_INLINE void store_half(uint16_t* to, Floats v) {
  for (int i = 0; i < kWidth; ++i) to[i] = f32_to_f16(v[i]);
}
HB_ALWAYS_INLINE Ints load_u8(const uint8_t* from) { return Ints{from[0], from[1], from[2], from[3]}; }
HB_ALWAYS_INLINE Ints load_i8(const uint8_t* from) {
  return Ints{static_cast<int8_t>(from[0]), static_cast<int8_t>(from[1]), static_cast<int8_t>(from[2]),
              static_cast<int8_t>(from[3])};
}
HB_ALWAYS_INLINE Ints load_u16(const uint16_t* from) { return Ints{from[0], from[1], from[2], from[3]}; }

HB_ALWAYS_INLINE Bytes lookup16(const int8_t* table, Bytes index) {
  Bytes result;
  for (int i = 0; i < 4 * kWidth; ++i) result[i] = static_cast<uint8_t>(table[index[i]]);
  return result;
}

inline constexpr int kSignedBias = 0;

// See simd_x86.h.
template <int kCodeBits, int kGroups>
HB_ALWAYS_INLINE void dot(const Bytes* low, const Bytes* high, const int8_t* x, Ints& sum_low,
                          Ints& sum_high) {
  const auto code = [](Bytes codes, int i) {
    return kCodeBits == 8 ? static_cast<int8_t>(codes[i]) : codes[i];
  };
  for (int j = 0; j < kGroups; ++j) {
    for (int i = 0; i < 4 * kWidth; ++i) {
      sum_low[i / 4] += code(low[j], i) * x[4 * j + i % 4];
      sum_high[i / 4] += code(high[j], i) * x[4 * j + i % 4];
    }
  }
}

}  // namespace hb::cpu::HB_CPU_ISA
