// Elementary functions with one definition on every processor: the float half of the numerics contract
// (docs/numerics.md). Each statement is one rounded operation; nothing calls libm. The bodies are in
// exact_functions.inl, which shaders include too; this header makes C++ of them.
//
// Every function is a template over the number type F: float, or a vector type of a CPU backend that offers
// the same operators, bits_of(F), from_bits<F>(U), splat<F>(float) and select(mask, F, F). Functions are
// always inlined: this header is compiled once per instruction set, and an out-of-line copy could be shared
// between them.
//
// Accuracy (units in the last place, measured against double; tests/base/exact_math_test.cc keeps it so):
//   rcp 1.46 on |x| in [2^-100, 2^100]; rsqrt 1.49 on [2^-120, 2^120]; exp 0.97 on [-87, 88], clamped
//   outside; silu 3.2; tanh 1.8; gelu 3 for x > 0, absolute error below 6e-8 for x < 0.
// Sources: rcp and rsqrt start from an integer guess (Blinn 1997, Moroz et al. 2018) and take one refined
// Newton step; exp and tanh use the polynomials of Moshier's Cephes; gelu is the tanh form of Hendrycks and
// Gimpel (2016).
#pragma once

#include <bit>
#include <cstdint>

#define HB_ALWAYS_INLINE [[gnu::always_inline]] inline

namespace hb::exact {

HB_ALWAYS_INLINE uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
template <class F>
F from_bits(uint32_t bits) = delete;
template <>
HB_ALWAYS_INLINE float from_bits<float>(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
template <class F>
F splat(float value) = delete;
template <>
HB_ALWAYS_INLINE float splat<float>(float value) {
  return value;
}
HB_ALWAYS_INLINE float select(bool condition, float yes, float no) { return condition ? yes : no; }

// Adding 1.5 * 2^23 leaves x, rounded to the nearest even integer, in the low bits of the sum.
inline constexpr float kRoundingMagic = 12582912.0f;
inline constexpr uint32_t kRoundingMagicBits = 0x4b400000u;

#define HB_FN        \
  template <class F> \
  HB_ALWAYS_INLINE
#define HB_F F
#define HB_LET const F
#define HB_LET_BITS const auto
#define HB_NAME(function) function
#define HB_BITS(x) bits_of(x)
#define HB_FROM_BITS(bits) from_bits<F>(bits)
#define HB_SPLAT(value) splat<F>(value)
#define HB_SELECT(condition, yes, no) select(condition, yes, no)
#include "base/exact_functions.inl"
#undef HB_FN
#undef HB_F
#undef HB_LET
#undef HB_LET_BITS
#undef HB_NAME
#undef HB_BITS
#undef HB_FROM_BITS
#undef HB_SPLAT
#undef HB_SELECT

}  // namespace hb::exact
