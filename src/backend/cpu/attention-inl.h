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
  const uint16_t* keys;  // of the part and the next element in lane order
  const float* const* query;
  uint32_t head_dim;

  using Sums = Floats[kColumns];

  template <int kLane, int kStride>
  HB_ALWAYS_INLINE void sum_lanes(Sums& out) {  // lanes kLane, kLane + kStride, … of the sixteen
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

  HB_ALWAYS_INLINE void sum_lane(uint32_t lane, Sums& out) {
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) out[c] = splat(lane < head_dim ? -0.0f : 0.0f);
    for (uint32_t d = lane; d < head_dim; d += kLanes, keys += 16) {
      const Floats key = load_half(keys);
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

// Keys and values are read in one ascending stream each, but too fast for the hardware to foresee it.
inline constexpr size_t kAhead = 4096;  // elements

HB_ALWAYS_INLINE void prefetch_cache(const uint16_t* from, size_t count) {
  for (size_t i = 0; i < count; i += 32) __builtin_prefetch(from + i);
}

// The beginning of a stream of `count` elements, as far as the prefetches ahead leave it out.
HB_ALWAYS_INLINE void prefetch_beginning(const uint16_t* from, size_t count) {
  prefetch_cache(from, count < kAhead ? count : kAhead);
}

inline void attention_scores(const uint16_t* keys, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, float* scores) {
  prefetch_beginning(keys + size_t{first} * shape.head_dim, size_t{count} * shape.head_dim);
  for (uint32_t t = 0; t < count; t += 16) {
    const uint16_t* block = keys + size_t{first + t} * shape.head_dim;
    prefetch_cache(block + kAhead, 16 * shape.head_dim);
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

// Partial sums of all columns: (columns, padded head_dim) floats.
struct alignas(64) ValueSums {
  float value[kMaxQueryColumns * kMaxHeadDim];
};

// The positions of one lane of a span, and what becomes of their sums: those in [waiting, waiting + joins)
// are added (lane_order.h), the total goes to `target`. A lane without positions is +0.
struct ValueLane {
  const uint16_t* values;  // (positions, width)
  uint32_t positions;
  uint32_t width;
  const float* weights;  // of the first column; others kSpan apart
  const ValueSums* waiting;
  uint32_t joins;
  float* target;
};

// kColumns columns from `column`, kVectors native vectors of the head's elements from `d`.
template <int kColumns, int kVectors>
HB_ALWAYS_INLINE void weigh_values(const ValueLane& lane, uint32_t column, uint32_t d) {
  Floats acc[kColumns][kVectors];
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) acc[c][v] = splat(lane.positions == 0 ? 0.0f : -0.0f);
  }
  const float* weights = lane.weights + column * kSpan;
  for (uint32_t t = 0; t < lane.positions; ++t) {
    const uint16_t* row = lane.values + t * lane.width + d;
    Floats value[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) value[v] = load_half(row + v * kWidth);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) {
      const Floats weight = splat(weights[c * kSpan + t]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Floats product = value[v] * weight;
        acc[c][v] = acc[c][v] + product;
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const uint32_t place = (column + c) * lane.width + d + v * kWidth;
      for (uint32_t j = 0; j < lane.joins; ++j) {
        acc[c][v] = load<Floats>(lane.waiting[j].value + place) + acc[c][v];
      }
      store(lane.target + place, acc[c][v]);
    }
  }
}

// Vectors of a head that are summed together: as many as registers hold for four columns, so that a weight
// that was broadcast once serves them all.
inline constexpr uint32_t kValueVectors = kWidth == 8 ? 2 : 4;

inline void sum_value_lane(const ValueLane& lane, uint32_t columns) {
  for_column_groups<4>(columns, [&]<int kColumns>(uint32_t c) HB_LAMBDA_INLINE {
    uint32_t d = 0;
    for (; d + kValueVectors * kWidth <= lane.width; d += kValueVectors * kWidth)
      weigh_values<kColumns, kValueVectors>(lane, c, d);
    for (; d < lane.width; d += kWidth) weigh_values<kColumns, 1>(lane, c, d);
  });
}

inline void attention_values(const uint16_t* values, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, const float* maximum,
                             float* scores, float* sums, float* out) {
  const uint32_t width = padded_head_dim(shape.head_dim);
  const uint16_t* span_values = values + size_t{first} * width;
  prefetch_beginning(span_values, size_t{count} * width);
  for (uint32_t c = 0; c < columns.count; ++c) {
    const uint32_t begin = columns.begin[c] > first ? columns.begin[c] - first : 0;
    const uint32_t end = columns.end[c] > first ? columns.end[c] - first : 0;
    sums[c] = weigh_scores(begin, end, maximum[c], scores + c * kSpan);
  }
  ValueSums stack[kTreeDepth];
  for (uint32_t visit = 0; visit < kLanes; ++visit) {
    const uint32_t from = kLaneOrder[visit] * kSpanLane;
    const uint16_t* lane_values = span_values + size_t{visit} * kSpanLane * width;
    prefetch_cache(lane_values + kAhead, kSpanLane * width);
    const uint32_t joins = joins_after(visit);
    sum_value_lane({.values = lane_values,
                    .positions = from >= count ? 0 : (count - from < kSpanLane ? count - from : kSpanLane),
                    .width = width,
                    .weights = scores + from,
                    .waiting = stack,
                    .joins = joins,
                    .target = joins < kTreeDepth ? stack[joins].value : out},
                   columns.count);
  }
}

}  // namespace hb::cpu::HB_CPU_ISA
