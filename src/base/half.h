// Storage conversions between float and the 16-bit formats, in integers: the same bits on every processor.
// The bodies are in half_functions.inl, which shaders include too.
// Always inlined, since this header is compiled once per instruction set: see exact_math.h.
#pragma once

#include <bit>
#include <cstdint>

namespace hb {

#define HB_INT_FN [[gnu::always_inline]] constexpr
#define HB_U32 uint32_t
#define HB_BITS_OF_INTEGER(i) std::bit_cast<uint32_t>(static_cast<float>(i))
#include "base/half_functions.inl"
#undef HB_INT_FN
#undef HB_U32
#undef HB_BITS_OF_INTEGER

[[gnu::always_inline]] constexpr float f16_to_f32(uint16_t h) {
  return std::bit_cast<float>(half_to_float_bits(h));
}

[[gnu::always_inline]] constexpr uint16_t f32_to_f16(float value) {
  return static_cast<uint16_t>(float_bits_to_half(std::bit_cast<uint32_t>(value)));
}

[[gnu::always_inline]] constexpr float bf16_to_f32(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

}  // namespace hb
