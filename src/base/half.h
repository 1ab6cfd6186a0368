// Storage conversions between float and the 16-bit formats, in integers: the same bits on every processor.
// Always inlined, since this header is compiled once per instruction set: see exact_math.h.
#pragma once

#include <bit>
#include <cstdint>

namespace hb {

// IEEE binary16 to float. Exact; denormals are kept; a NaN becomes quiet.
[[gnu::always_inline]] constexpr float f16_to_f32(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31u;
  const uint32_t mantissa = h & 0x3ffu;
  uint32_t bits;
  if (exponent == 31) {
    bits = 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0u);
  } else if (exponent != 0) {
    bits = (exponent + 112) << 23 | mantissa << 13;
  } else {
    // mantissa * 2^-24: the float of the integer, its exponent lowered by 24.
    bits = mantissa ? std::bit_cast<uint32_t>(static_cast<float>(mantissa)) - 0x0c000000u : 0u;
  }
  return std::bit_cast<float>(bits | sign);
}

// float to IEEE binary16, to nearest even; denormal results are kept, overflow becomes infinity.
[[gnu::always_inline]] constexpr uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t result;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {
    result = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {
    result = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  } else if (magnitude >= 0x33000000u) {
    const uint32_t shift = 126u - (magnitude >> 23);  // 14 to 24
    const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    result = (significand + (1u << shift >> 1) - 1u + ((significand >> shift) & 1u)) >> shift;
  } else {
    result = 0;
  }
  return static_cast<uint16_t>(result | sign);
}

[[gnu::always_inline]] constexpr float bf16_to_f32(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

}  // namespace hb
