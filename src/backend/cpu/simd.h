// Vectors of one instruction set, for the kernels in *-inl.h.
//
// This header and the kernels are compiled once per row of isas.def; HB_CPU_ISA is that row's name and the
// namespace that keeps the copies apart. A kernel uses native vectors of kWidth 32-bit elements (16, 8 or 4)
// and, where the contract speaks of sixteen lanes, F32x16: kParts of them. Arithmetic is the compiler's own
// on vector types; only what it lacks (integer dot products, half conversions, widening loads) is written
// with intrinsics, in simd_*.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/exact_math.h"

#if !defined(HB_CPU_ISA)
#error "simd.h is for the per-instruction-set files only"
#endif

#define HB_LAMBDA_INLINE __attribute__((always_inline))

namespace hb::cpu::HB_CPU_ISA {

#if defined(__AVX512BW__)
inline constexpr int kWidth = 16;
#elif defined(__AVX2__)
inline constexpr int kWidth = 8;
#else
inline constexpr int kWidth = 4;
#endif
inline constexpr int kParts = 16 / kWidth;

using Floats = float __attribute__((vector_size(4 * kWidth)));
using Ints = int32_t __attribute__((vector_size(4 * kWidth)));
using Uints = uint32_t __attribute__((vector_size(4 * kWidth)));
using Bytes = uint8_t __attribute__((vector_size(4 * kWidth)));
using Shorts = uint16_t __attribute__((vector_size(4 * kWidth)));

// Unaligned, and of any memory. (Through memcpy GCC 12 sends some vectors over the stack.)
template <class V>
struct Unaligned {
  using Type [[gnu::aligned(1), gnu::may_alias]] = V;
};
template <class V>
HB_ALWAYS_INLINE V load(const void* from) {
  return *static_cast<const typename Unaligned<V>::Type*>(from);
}
template <class V>
HB_ALWAYS_INLINE void store(void* to, V v) {
  *static_cast<typename Unaligned<V>::Type*>(to) = v;
}

// Keeps a pointer in one register, so that constant offsets to it are part of the instructions that use them.
template <class T>
HB_ALWAYS_INLINE T* one_register(T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

HB_ALWAYS_INLINE Floats splat(float x) { return x - Floats{}; }
HB_ALWAYS_INLINE Ints splat_int(int32_t x) { return x - Ints{}; }
HB_ALWAYS_INLINE Floats to_floats(Ints x) { return __builtin_convertvector(x, Floats); }

// Shifts and masks of bytes, by way of 16-bit elements: bits that cross into a neighbour are masked away.
template <int kShift>
HB_ALWAYS_INLINE Bytes shift_right_and_mask(Bytes v, uint8_t mask) {
  const Bytes shifted = reinterpret_cast<Bytes>(reinterpret_cast<Shorts>(v) >> kShift);
  return shifted & (Bytes{} + mask);
}
template <int kShift>
HB_ALWAYS_INLINE Bytes shift_left_and_mask(Bytes v, uint8_t mask) {
  const Bytes shifted = reinterpret_cast<Bytes>(reinterpret_cast<Shorts>(v) << kShift);
  return shifted & (Bytes{} + mask);
}

}  // namespace hb::cpu::HB_CPU_ISA

#if defined(__AVX512BW__) || defined(__AVX2__)
#include "backend/cpu/simd_x86.h"
#elif defined(__ARM_NEON)
#include "backend/cpu/simd_neon.h"
#else
#include "backend/cpu/simd_plain.h"
#endif

namespace hb::cpu::HB_CPU_ISA {

// Sixteen floats: the contract's sixteen lanes, or sixteen independent values.
struct F32x16 {
  Floats part[kParts];
};
struct U32x16 {
  Uints part[kParts];
};
struct Mask16 {
  Ints part[kParts];
};

template <class To, class From, class F>
HB_ALWAYS_INLINE To map_parts(const From& a, F f) {
  To result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = f(a.part[p]);
  return result;
}
template <class To, class From, class F>
HB_ALWAYS_INLINE To map_parts(const From& a, const From& b, F f) {
  To result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = f(a.part[p], b.part[p]);
  return result;
}

#define HB_BINARY(Type, Scalar, op)                                                       \
  HB_ALWAYS_INLINE Type operator op(const Type& a, const Type& b) {                       \
    return map_parts<Type>(a, b, [](auto x, auto y) HB_LAMBDA_INLINE { return x op y; }); \
  }                                                                                       \
  HB_ALWAYS_INLINE Type operator op(const Type& a, Scalar b) {                            \
    return map_parts<Type>(a, [b](auto x) HB_LAMBDA_INLINE { return x op b; });           \
  }                                                                                       \
  HB_ALWAYS_INLINE Type operator op(Scalar a, const Type& b) {                            \
    return map_parts<Type>(b, [a](auto x) HB_LAMBDA_INLINE { return a op x; });           \
  }
HB_BINARY(F32x16, float, +)
HB_BINARY(F32x16, float, -)
HB_BINARY(F32x16, float, *)
HB_BINARY(U32x16, uint32_t, +)
HB_BINARY(U32x16, uint32_t, -)
HB_BINARY(U32x16, uint32_t, &)
HB_BINARY(U32x16, uint32_t, |)
#undef HB_BINARY

HB_ALWAYS_INLINE U32x16 operator>>(const U32x16& a, int n) {
  return map_parts<U32x16>(a, [n](Uints x) HB_LAMBDA_INLINE { return x >> n; });
}
HB_ALWAYS_INLINE U32x16 operator<<(const U32x16& a, int n) {
  return map_parts<U32x16>(a, [n](Uints x) HB_LAMBDA_INLINE { return x << n; });
}
HB_ALWAYS_INLINE Mask16 operator<(const F32x16& a, float b) {
  return map_parts<Mask16>(a, [b](Floats x) HB_LAMBDA_INLINE { return x < b; });
}
// Of magnitudes: values below 2^31.
HB_ALWAYS_INLINE Mask16 operator<(const U32x16& a, uint32_t b) {
  return map_parts<Mask16>(
      a, [b](Uints x) HB_LAMBDA_INLINE { return reinterpret_cast<Ints>(x) < static_cast<int32_t>(b); });
}
HB_ALWAYS_INLINE Mask16 operator>(const F32x16& a, float b) {
  return map_parts<Mask16>(a, [b](Floats x) HB_LAMBDA_INLINE { return x > b; });
}

HB_ALWAYS_INLINE F32x16 splat16(float x) {
  F32x16 result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = splat(x);
  return result;
}
HB_ALWAYS_INLINE F32x16 load16(const float* from) {
  F32x16 result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = load<Floats>(from + p * kWidth);
  return result;
}
HB_ALWAYS_INLINE void store16(float* to, const F32x16& v) {
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) store(to + p * kWidth, v.part[p]);
}
HB_ALWAYS_INLINE F32x16 load_half16(const uint16_t* from) {
  F32x16 result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = load_half(from + p * kWidth);
  return result;
}

// What base/exact_math.h asks of a number type.
HB_ALWAYS_INLINE U32x16 bits_of(const F32x16& x) {
  return map_parts<U32x16>(x, [](Floats v) HB_LAMBDA_INLINE { return reinterpret_cast<Uints>(v); });
}
template <class F>
HB_ALWAYS_INLINE F from_bits(const U32x16& bits) {
  return map_parts<F>(bits, [](Uints v) HB_LAMBDA_INLINE { return reinterpret_cast<Floats>(v); });
}
HB_ALWAYS_INLINE F32x16 select(const Mask16& mask, const F32x16& yes, const F32x16& no) {
  F32x16 result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = mask.part[p] ? yes.part[p] : no.part[p];
  return result;
}

// Half of a vector: elements kFrom, kFrom + 1, …
template <int kFrom, class V, int... kIndex>
HB_ALWAYS_INLINE auto pick(V v, std::integer_sequence<int, kIndex...>) {
  return __builtin_shufflevector(v, v, (kFrom + kIndex)...);
}

// Joins elements i and i + kCount / 2, then i and i + kCount / 4, …, in registers.
template <int kCount, class V, class F>
HB_ALWAYS_INLINE auto reduce_vector(V v, F f) {
  if constexpr (kCount == 2) {
    return f(v[0], v[1]);
  } else {
    using Half = std::make_integer_sequence<int, kCount / 2>;
    return reduce_vector<kCount / 2>(f(pick<0>(v, Half{}), pick<kCount / 2>(v, Half{})), f);
  }
}

// Joins sixteen values in the same order: parts first.
template <class V, class F>
HB_ALWAYS_INLINE auto reduce16(const V (&part)[kParts], F f) {
  V joined[kParts];
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) joined[p] = part[p];
#pragma GCC unroll 2
  for (int stride = kParts / 2; stride > 0; stride /= 2) {
#pragma GCC unroll 2
    for (int p = 0; p < stride; ++p) joined[p] = f(joined[p], joined[p + stride]);
  }
  return reduce_vector<kWidth>(joined[0], f);
}

// The contract's tree: l += l + 8, then + 4, + 2, + 1.
HB_ALWAYS_INLINE float lane_tree(const F32x16& lanes) {
  return reduce16(lanes.part, [](auto a, auto b) HB_LAMBDA_INLINE { return a + b; });
}

}  // namespace hb::cpu::HB_CPU_ISA

namespace hb::exact {
template <>
HB_ALWAYS_INLINE cpu::HB_CPU_ISA::F32x16 splat<cpu::HB_CPU_ISA::F32x16>(float x) {
  return cpu::HB_CPU_ISA::splat16(x);
}
}  // namespace hb::exact
