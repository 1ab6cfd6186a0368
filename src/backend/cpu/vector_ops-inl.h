// The element-wise ops of the plan on one row of activations: quantise, norm, rotary embedding, gates, caps.
#pragma once

#include "backend/cpu/lane_order.h"
#include "backend/cpu/matvec_args.h"
#include "backend/cpu/simd.h"
#include "backend/cpu/vector_args.h"

namespace hb::cpu::HB_CPU_ISA {

// Calls f on sixteen elements at a time; the last, partial sixteen goes through a zero-padded copy.
template <class F>
HB_ALWAYS_INLINE void map_row(const float* in, float* out, uint32_t count, F f) {
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16) store16(out + i, f(load16(in + i), i));
  if (i == count) return;
  alignas(64) float tail[16] = {};
  std::memcpy(tail, in + i, (count - i) * sizeof(float));
  store16(tail, f(load16(tail), i));
  std::memcpy(out + i, tail, (count - i) * sizeof(float));
}

// A partial load: elements beyond `count` are zero.
HB_ALWAYS_INLINE F32x16 load_row(const float* from, uint32_t i, uint32_t count) {
  if (i + 16 <= count) return load16(from + i);
  alignas(64) float tail[16] = {};
  std::memcpy(tail, from + i, (count - i) * sizeof(float));
  return load16(tail);
}

// Magnitudes compare as their bits do, which as signed integers are not negative.
HB_ALWAYS_INLINE uint32_t absmax_bits(const F32x16& a, const F32x16& b) {
  Ints larger[kParts];
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) {
    const Ints u = reinterpret_cast<Ints>(a.part[p]) & 0x7fffffff,
               v = reinterpret_cast<Ints>(b.part[p]) & 0x7fffffff;
    larger[p] = u > v ? u : v;
  }
  return static_cast<uint32_t>(
      reduce16(larger, [](auto x, auto y) HB_LAMBDA_INLINE { return x > y ? x : y; }));
}

// Sixteen codes and their sum.
HB_ALWAYS_INLINE int32_t store_codes(const F32x16& values, float inverse, int8_t* codes) {
  using Codes = int8_t __attribute__((vector_size(kWidth)));
  Ints integers[kParts];
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) {
    const Floats scaled = values.part[p] * splat(inverse);
    const Floats rounded = scaled + splat(exact::kRoundingMagic);
    integers[p] =
        reinterpret_cast<Ints>(rounded) - splat_int(static_cast<int32_t>(exact::kRoundingMagicBits));
    store(codes + p * kWidth, __builtin_convertvector(integers[p], Codes));
  }
  return reduce16(integers, [](auto x, auto y) HB_LAMBDA_INLINE { return x + y; });
}

// quant/activation.h's quantise_block, written to a panel.
inline void quantise_block(const float* values, int8_t* codes, BlockMeta* meta) {
  const F32x16 first = load16(values), last = load16(values + 16);
  const uint32_t largest = absmax_bits(first, last);
  if (largest < exact::bits_of(0x1p-44f)) {
    std::memset(codes, 0, kBlockElems);
    *meta = {};
    return;
  }
  const float absmax = exact::from_bits<float>(largest);
  const float inverse = 127.0f * exact::rcp(absmax);
  meta->scale = absmax * exact::rcp(127.0f);
  meta->half_sum[0] = store_codes(first, inverse, codes);
  meta->half_sum[1] = store_codes(last, inverse, codes + 16);
  meta->sum = meta->half_sum[0] + meta->half_sum[1];
  meta->weighted_sum = meta->scale * static_cast<float>(meta->sum);
}

inline void quantise_row(const QuantiseArgs& args) {
  for (uint32_t b = 0; b < args.count / kBlockElems; ++b) {
    const size_t slot = size_t{b} * args.width + args.column;
    quantise_block(args.row + kBlockElems * b, args.codes + kBlockElems * slot, args.meta + slot);
  }
}

// out = (in * rsqrt(mean of squares + epsilon)) * weight, then residual + that if there is one.
inline void rms_norm(const NormArgs& args) {
  F32x16 lanes = splat16(-0.0f);
  for (uint32_t i = 0; i < args.count; i += 16) {
    const F32x16 x = load_row(args.in, i, args.count);
    const F32x16 square = x * x;
    lanes = lanes + square;
  }
  const float mean = lane_tree(lanes) * exact::rcp(static_cast<float>(args.count));
  const float factor = exact::rsqrt(mean + args.epsilon);
  map_row(args.in, args.out, args.count, [&](const F32x16& x, uint32_t i) HB_LAMBDA_INLINE {
    const F32x16 scaled = x * factor;
    F32x16 y = scaled * load_row(args.weight, i, args.count);
    if (args.residual != nullptr) y = load_row(args.residual, i, args.count) + y;
    return exact::settle(y);
  });
}

struct Rotated {
  float a, b;
};

HB_ALWAYS_INLINE Rotated rotate(float a, float b, float cos, float sin) {
  const float a_cos = a * cos, b_sin = b * sin;
  const float a_sin = a * sin, b_cos = b * cos;
  return {exact::settle(a_cos - b_sin), exact::settle(a_sin + b_cos)};
}

// Pairs (i, i + pairs): sixteen at a time, the rest one by one.
inline void rope_halves(const RopeArgs& args) {
  float* first = args.head;
  float* second = args.head + args.pairs;
  uint32_t i = 0;
  for (; i + 16 <= args.pairs; i += 16) {
    const F32x16 a = load16(first + i), b = load16(second + i);
    const F32x16 cos = load16(args.cos + i), sin = load16(args.sin + i);
    const F32x16 a_cos = a * cos, b_sin = b * sin;
    const F32x16 a_sin = a * sin, b_cos = b * cos;
    store16(first + i, exact::settle(a_cos - b_sin));
    store16(second + i, exact::settle(a_sin + b_cos));
  }
  for (; i < args.pairs; ++i) {
    const Rotated y = rotate(first[i], second[i], args.cos[i], args.sin[i]);
    first[i] = y.a;
    second[i] = y.b;
  }
}

inline void rope_head(const RopeArgs& args) {
  if (!args.adjacent) return rope_halves(args);
  for (uint32_t i = 0; i < args.pairs; ++i) {
    float* pair = args.head + 2 * i;
    const Rotated y = rotate(pair[0], pair[1], args.cos[i], args.sin[i]);
    pair[0] = y.a;
    pair[1] = y.b;
  }
}

HB_ALWAYS_INLINE F32x16 apply_gate(MatvecOp::Gate gate, const F32x16& y, const F32x16& up) {
  if (gate == MatvecOp::Gate::kSilu) return exact::silu(y) * up;
  if (gate == MatvecOp::Gate::kGelu) return exact::gelu(y) * up;
  return y;
}

inline void finish_rows(const FinishArgs& args) {
  map_row(args.product, args.out, args.count, [&](const F32x16& product, uint32_t i) HB_LAMBDA_INLINE {
    F32x16 y = product;
    if (args.bias != nullptr) y = y + load_row(args.bias, i, args.count);
    if (args.up != nullptr) y = apply_gate(args.gate, y, load16(args.up + i));
    y = y * args.out_scale;
    if (args.residual != nullptr) y = load_row(args.residual, i, args.count) + y;
    return exact::settle(y);
  });
}

inline void scale_row(const float* in, float factor, uint32_t count, float* out) {
  map_row(in, out, count,
          [&](const F32x16& x, uint32_t) HB_LAMBDA_INLINE { return exact::settle(x * factor); });
}

inline void softcap_row(float* row, float cap, uint32_t count) {
  const float inverse = exact::rcp(cap);
  map_row(row, row, count, [&](const F32x16& x, uint32_t) HB_LAMBDA_INLINE {
    return exact::settle(exact::tanh(x * inverse) * cap);
  });
}

HB_ALWAYS_INLINE F32x16 larger(const F32x16& a, const F32x16& b) {
  F32x16 result;
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) result.part[p] = a.part[p] > b.part[p] ? a.part[p] : b.part[p];
  return result;
}

// The largest of `count` values, count >= 1.
inline float row_maximum(const float* row, uint32_t count) {
  F32x16 lanes = splat16(row[0]);
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16) lanes = larger(load16(row + i), lanes);
  float largest = reduce16(lanes.part, [](auto x, auto y) HB_LAMBDA_INLINE { return x > y ? x : y; });
  for (; i < count; ++i) largest = row[i] > largest ? row[i] : largest;
  return largest;
}

inline void to_half(const float* in, uint32_t count, uint16_t* out) {
  uint32_t i = 0;
  for (; i + kWidth <= count; i += kWidth) store_half(out + i, load<Floats>(in + i));
  if (i == count) return;
  float tail[kWidth] = {};
  uint16_t half[kWidth];
  std::memcpy(tail, in + i, (count - i) * sizeof(float));
  store_half(half, load<Floats>(tail));
  std::memcpy(out + i, half, (count - i) * sizeof(uint16_t));
}

}  // namespace hb::cpu::HB_CPU_ISA
