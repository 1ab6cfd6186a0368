// Attention over the cache of one KV head (attention_args.h has the layouts, docs/numerics.md the order of
// additions).
#pragma once

#include "backend/cpu/attention_args.h"
#include "backend/cpu/lane_order.h"
#include "backend/cpu/simd.h"

namespace hb::cpu::HB_CPU_ISA {

// Columns whose sums fit into registers together with the four partial sums of the lane tree.
inline constexpr int kScoreColumns = kWidth == 8 ? 2 : 4;

// Calls f<kColumns>(first) for groups of kMost columns, and once for the rest.
template <int kMost, class F>
HB_ALWAYS_INLINE void for_column_groups(uint32_t count, F f) {
  uint32_t c = 0;
  for (; c + kMost <= count; c += kMost) f.template operator()<kMost>(c);
  if constexpr (kMost > 2) {
    if (count - c == 3) f.template operator()<3>(c);
    if (count - c == 2) f.template operator()<2>(c);
  }
  if (count - c == 1) f.template operator()<1>(c);
}

// Dot products of kColumns queries with the keys of kWidth positions. The lanes' sums meet as soon as two
// partners of the tree are complete, so everything stays in registers.
template <int kColumns>
struct ScoreTree {
  const uint16_t* keys;  // of the part: element d at keys + 16 * d
  const float* const* query;
  uint32_t head_dim;

  using Sums = Floats[kColumns];

  template <int kLane, int kStride>
  HB_ALWAYS_INLINE void sum_lanes(Sums& out) const {  // lanes kLane, kLane + kStride, … of the sixteen
    if constexpr (kStride == 16) {
      sum_lane(kLane, out);
    } else {
      Sums other;
      sum_lanes<kLane, 2 * kStride>(out);
      sum_lanes<kLane + kStride, 2 * kStride>(other);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) out[c] = out[c] + other[c];
    }
  }

  HB_ALWAYS_INLINE void sum_lane(uint32_t lane, Sums& out) const {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) out[c] = splat(lane < head_dim ? -0.0f : 0.0f);
    for (uint32_t d = lane; d < head_dim; d += kLanes) {
      const Floats key = load_half(keys + 16 * d);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const Floats product = key * splat(query[c][d]);
        out[c] = out[c] + product;
      }
    }
  }
};

template <int kColumns>
HB_ALWAYS_INLINE void score_block(const uint16_t* keys, const float* const* query,
                                  const AttentionShape& shape, float* scores) {
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) {
    typename ScoreTree<kColumns>::Sums sums;
    ScoreTree<kColumns>{keys + p * kWidth, query, shape.head_dim}.template sum_lanes<0, 1>(sums);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) store(scores + c * kSpan + p * kWidth, sums[c] * splat(shape.scale));
  }
}

inline void cap_scores(float cap, uint32_t count, float* scores) {
  const float inverse = exact::rcp(cap);
  for (uint32_t t = 0; t < count; t += 16)
    store16(scores + t, exact::tanh(load16(scores + t) * inverse) * cap);
}

inline void attention_scores(const uint16_t* keys, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, float* scores) {
  for (uint32_t t = 0; t < count; t += 16) {
    const uint16_t* block = keys + size_t{first + t} * shape.head_dim;
    for_column_groups<kScoreColumns>(columns.count, [&]<int kColumns>(uint32_t c) HB_LAMBDA_INLINE {
      score_block<kColumns>(block, columns.query + c, shape, scores + c * kSpan + t);
    });
  }
  if (shape.softcap == 0.0f) return;
  for (uint32_t c = 0; c < columns.count; ++c) cap_scores(shape.softcap, count, scores + c * kSpan);
}

// Weights of one column in place of its scores, and their sum. [begin, end): the positions of the span that
// it sees.
inline float weigh_scores(uint32_t begin, uint32_t end, float maximum, float* scores) {
  F32x16 lanes = splat16(0.0f);
  for (uint32_t t = 0; t < kSpan; t += 16) {
    float* score = scores + t;
    if (t + 16 <= begin || t >= end) {
      store16(score, splat16(0.0f));
      continue;
    }
    const F32x16 distance = load16(score) - maximum;
    store16(score, select(distance < -34.0f, splat16(0.0f), exact::exp(distance)));
    for (uint32_t i = t; i < begin; ++i) scores[i] = 0.0f;
    for (uint32_t i = end; i < t + 16; ++i) scores[i] = 0.0f;
    lanes = lanes + load16(score);
  }
  return lane_tree(lanes);
}

// One lane's weighted values: kColumns columns, kVectors native vectors of the head's elements.
template <int kColumns, int kVectors>
HB_ALWAYS_INLINE void weigh_values(const uint16_t* values, size_t stride, uint32_t count,
                                   const float* weights, float* out) {
  Floats acc[kColumns][kVectors];
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) acc[c][v] = splat(-0.0f);
  }
  for (uint32_t t = 0; t < count; ++t) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const Floats value = load_half(values + t * stride + v * kWidth);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const Floats product = value * splat(weights[c * kSpan + t]);
        acc[c][v] = acc[c][v] + product;
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store(out + c * stride + v * kWidth, acc[c][v]);
  }
}

// Partial sums of all columns: (columns, padded head_dim) floats.
struct alignas(64) ValueSums {
  float value[kMaxQueryColumns * kMaxHeadDim];
};

// Vectors of a head that are summed together: more chains of additions, as far as registers go.
inline constexpr uint32_t kValueVectors = kWidth == 16 ? 2 : 1;

inline void sum_value_lane(const uint16_t* values, uint32_t count, uint32_t columns, uint32_t width,
                           const float* weights, float* out) {
  for_column_groups<4>(columns, [&]<int kColumns>(uint32_t c) HB_LAMBDA_INLINE {
    const float* column_weights = weights + c * kSpan;
    float* column_out = out + c * width;
    uint32_t d = 0;
    for (; d + kValueVectors * kWidth <= width; d += kValueVectors * kWidth) {
      weigh_values<kColumns, kValueVectors>(values + d, width, count, column_weights, column_out + d);
    }
    for (; d < width; d += kWidth)
      weigh_values<kColumns, 1>(values + d, width, count, column_weights, column_out + d);
  });
}

// The lanes are visited out of order, which the hardware's prefetcher does not foresee: depth 1024 of a small
// model spent half of its attention waiting for values without this.
inline constexpr uint32_t kPrefetchLanes = 3;

HB_ALWAYS_INLINE void prefetch_lane(const uint16_t* span_values, uint32_t visit, uint32_t width) {
  if (visit >= kLanes) return;
  const auto* lane =
      reinterpret_cast<const char*>(span_values + size_t{kLaneOrder[visit]} * kSpanLane * width);
  for (size_t line = 0; line < kSpanLane * width * sizeof(uint16_t); line += 64)
    __builtin_prefetch(lane + line);
}

inline void attention_values(const uint16_t* values, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, const float* maximum,
                             float* scores, float* sums, float* out) {
  const uint32_t width = padded_head_dim(shape.head_dim), size = width * columns.count;
  for (uint32_t c = 0; c < columns.count; ++c) {
    const uint32_t begin = columns.begin[c] > first ? columns.begin[c] - first : 0;
    const uint32_t end = columns.end[c] > first ? columns.end[c] - first : 0;
    sums[c] = weigh_scores(begin, end, maximum[c], scores + c * kSpan);
  }
  const uint16_t* span_values = values + size_t{first} * width;
  for (uint32_t visit = 0; visit < kPrefetchLanes; ++visit) prefetch_lane(span_values, visit, width);
  ValueSums lane_sums;
  ValueSums stack[kTreeDepth];
  for (uint32_t visit = 0; visit < kLanes; ++visit) {
    prefetch_lane(span_values, visit + kPrefetchLanes, width);
    const uint32_t from = kLaneOrder[visit] * kSpanLane;
    if (from < count) {
      const uint32_t positions = count - from < kSpanLane ? count - from : kSpanLane;
      sum_value_lane(span_values + size_t{from} * width, positions, columns.count, width, scores + from,
                     lane_sums.value);
    } else {
      std::memset(lane_sums.value, 0, size * sizeof(float));
    }
    uint32_t level = 0;
    while (visit >> level & 1) ++level;
    float* to = level < kTreeDepth ? stack[level].value : out;
    for (uint32_t i = 0; i < size; i += 16) {
      F32x16 sum = load16(lane_sums.value + i);
      for (uint32_t l = 0; l < level; ++l) sum = load16(stack[l].value + i) + sum;
      store16(to + i, sum);
    }
  }
}

}  // namespace hb::cpu::HB_CPU_ISA
