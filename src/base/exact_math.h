// Elementary functions with one definition on every processor: the float half of the numerics contract
// (docs/numerics.md). Each statement is one rounded operation; nothing calls libm.
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

// What an op stores of x: a magnitude below 2^-44 becomes +0. Neither the sign of a zero nor what a device
// makes of denormals ever leaves an op, and no product of two stored values is a denormal.
template <class F>
HB_ALWAYS_INLINE F settle(F x) {
  const auto magnitude = bits_of(x) & 0x7fffffffu;
  return select(magnitude < 0x29800000u, splat<F>(0.0f), x);
}

template <class F>
HB_ALWAYS_INLINE F rcp(F x) {
  const F guess = from_bits<F>(0x7ef33000u - bits_of(x));
  const F product = x * guess;
  const F correction = 2.0012f - product;
  const F y = guess * correction;
  const F again = x * y;
  const F error = 1.0f - again;
  const F error_squared = error * error;
  const F k = error + error_squared;
  const F step = y * k;
  return y + step;
}

template <class F>
HB_ALWAYS_INLINE F rsqrt(F x) {
  const F guess = from_bits<F>(0x5f1ffff9u - (bits_of(x) >> 1));
  const F a0 = x * guess;
  const F a1 = a0 * guess;
  const F a2 = 2.38924456f - a1;
  const F a3 = 0.703952253f * a2;
  const F y = guess * a3;
  const F b0 = x * y;
  const F b1 = b0 * y;
  const F error = 1.0f - b1;
  const F p0 = 0.375f * error;
  const F p1 = p0 + 0.5f;
  const F p2 = p1 * error;
  const F step = p2 * y;
  return y + step;
}

template <class F>
HB_ALWAYS_INLINE F exp_polynomial(F r) {  // (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2
  const F p0 = 1.9875691500e-4f * r;
  const F p1 = p0 + 1.3981999507e-3f;
  const F p2 = p1 * r;
  const F p3 = p2 + 8.3334519073e-3f;
  const F p4 = p3 * r;
  const F p5 = p4 + 4.1665795894e-2f;
  const F p6 = p5 * r;
  const F p7 = p6 + 1.6666665459e-1f;
  const F p8 = p7 * r;
  return p8 + 5.0000001201e-1f;
}

template <class F>
HB_ALWAYS_INLINE F exp(F x) {
  const F at_least = select(x < -87.0f, splat<F>(-87.0f), x);
  const F clamped = select(at_least > 88.0f, splat<F>(88.0f), at_least);
  const F m = clamped * 1.44269504f;
  const F t = m + kRoundingMagic;
  const F n = t - kRoundingMagic;
  const F high = n * 0.693359375f;  // ln(2) in two parts
  const F r0 = clamped - high;
  const F low = n * -2.12194440e-4f;
  const F r = r0 - low;
  const F r_squared = r * r;
  const F z0 = exp_polynomial(r) * r_squared;
  const F z1 = z0 + r;
  const F z = z1 + 1.0f;
  const F power =
      from_bits<F>((bits_of(t) + 127u) << 23);  // the low bits of t are n; those of the magic are 0
  return z * power;
}

template <class F>
HB_ALWAYS_INLINE F sigmoid(F x) {
  const F negated = 0.0f - x;
  const F argument = select(negated > 69.0f, splat<F>(69.0f), negated);  // e^69 < 2^100, the domain of rcp
  const F denominator = 1.0f + exp(argument);
  return rcp(denominator);
}

template <class F>
HB_ALWAYS_INLINE F silu(F x) {
  return x * sigmoid(x);
}

template <class F>
HB_ALWAYS_INLINE F gelu(F x) {
  const F square = x * x;
  const F a = square * 0.071354816f;
  const F b = a + 1.5957691f;
  const F argument = x * b;
  return x * sigmoid(argument);
}

template <class F>
HB_ALWAYS_INLINE F tanh_small(F a) {  // |a| < 0.625
  const F z = a * a;
  const F p0 = -5.70498872745e-3f * z;
  const F p1 = p0 + 2.06390887954e-2f;
  const F p2 = p1 * z;
  const F p3 = p2 - 5.37397155531e-2f;
  const F p4 = p3 * z;
  const F p5 = p4 + 1.33314422036e-1f;
  const F p6 = p5 * z;
  const F p7 = p6 - 3.33332819422e-1f;
  const F p8 = p7 * z;
  const F p9 = p8 * a;
  return p9 + a;
}

template <class F>
HB_ALWAYS_INLINE F tanh_large(F a) {
  const F doubled = a + a;
  const F denominator = exp(doubled) + 1.0f;
  const F q = rcp(denominator);
  const F q2 = q + q;
  return 1.0f - q2;
}

template <class F>
HB_ALWAYS_INLINE F tanh(F x) {
  const auto sign = bits_of(x) & 0x80000000u;
  const F magnitude = from_bits<F>(bits_of(x) & 0x7fffffffu);
  const F a = select(magnitude > 9.1f, splat<F>(9.1f), magnitude);
  const F result = select(a < 0.625f, tanh_small(a), tanh_large(a));
  return from_bits<F>(bits_of(result) | sign);
}

}  // namespace hb::exact
