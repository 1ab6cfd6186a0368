// Attention over the cache of one KV head (attention_args.h has the layouts, docs/numerics.md the order of additions).
#pragma once

#include "backend/cpu/attention_args.h"
#include "backend/cpu/lane_order.h"
#include "backend/cpu/simd.h"

namespace hb::cpu::HB_CPU_ISA {

// Columns whose sums fit into registers together with the four partial sums of the lane tree.
inline constexpr int kScoreColumns = kWidth == 8 ? 2 : 4;

// Dot products of kColumns queries with the keys of kWidth positions. The lanes' sums meet as soon as two partners of
// the tree are complete, so everything stays in registers.
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
HB_ALWAYS_INLINE void score_block(const uint16_t* keys, const float* const* query, const AttentionShape& shape,
                                  float* scores) {
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
  for (uint32_t t = 0; t < count; t += 16) store16(scores + t, exact::tanh(load16(scores + t) * inverse) * cap);
}

inline void attention_scores(const uint16_t* keys, uint32_t first, uint32_t count, const QueryColumns& columns,
                             const AttentionShape& shape, float* scores) {
  for (uint32_t t = 0; t < count; t += 16) {
    const uint16_t* block = keys + size_t{first + t} * shape.head_dim;
    uint32_t c = 0;
    for (; c + kScoreColumns <= columns.count; c += kScoreColumns) {
      score_block<kScoreColumns>(block, columns.query + c, shape, scores + c * kSpan + t);
    }
    for (; c < columns.count; ++c) score_block<1>(block, columns.query + c, shape, scores + c * kSpan + t);
  }
  if (shape.softcap == 0.0f) return;
  for (uint32_t c = 0; c < columns.count; ++c) cap_scores(shape.softcap, count, scores + c * kSpan);
}

// Weights of one column in place of its scores, and their sum: in each lane of the span (16 consecutive positions) one
// after the other, then the tree over the lanes.
inline float weigh_scores(uint32_t begin, uint32_t end, float maximum, float* scores) {
  float lanes[kLanes] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    float* score = scores + lane * kSpanLane;
    const uint32_t from = lane * kSpanLane, to = from + kSpanLane;
    if (to <= begin || from >= end) {
      std::memset(score, 0, kSpanLane * sizeof(float));
      continue;
    }
    const F32x16 distance = load16(score) - maximum;
    const F32x16 weight = select(distance < -34.0f, splat16(0.0f), exact::exp(distance));
    store16(score, weight);
    const uint32_t first = begin > from ? begin - from : 0, last = end < to ? end - from : kSpanLane;
    for (uint32_t i = 0; i < first; ++i) score[i] = 0.0f;
    for (uint32_t i = last; i < kSpanLane; ++i) score[i] = 0.0f;
    float sum = score[first];
    for (uint32_t i = first + 1; i < last; ++i) sum = sum + score[i];
    lanes[lane] = sum;
  }
  return lane_tree(load16(lanes));
}

// One lane's weighted values of kColumns columns, sixteen elements of the head.
template <int kColumns>
HB_ALWAYS_INLINE void weigh_values(const uint16_t* values, size_t stride, uint32_t count, const float* weights,
                                   float* out, size_t out_stride) {
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) {
    Floats acc[kColumns];
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) acc[c] = splat(-0.0f);
    for (uint32_t t = 0; t < count; ++t) {
      const Floats value = load_half(values + t * stride + p * kWidth);
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const Floats product = value * splat(weights[c * kSpan + t]);
        acc[c] = acc[c] + product;
      }
    }
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) store(out + c * out_stride + p * kWidth, acc[c]);
  }
}

// Partial sums of all columns: (columns, padded head_dim) floats.
struct alignas(64) ValueSums {
  float value[kMaxQueryColumns * kMaxHeadDim];
};

inline void sum_value_lane(const uint16_t* values, uint32_t count, uint32_t columns, uint32_t width,
                           const float* weights, float* out) {
  for (uint32_t d = 0; d < width; d += 16) {
    uint32_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      weigh_values<4>(values + d, width, count, weights + c * kSpan, out + c * width + d, width);
    }
    for (; c < columns; ++c) {
      weigh_values<1>(values + d, width, count, weights + c * kSpan, out + c * width + d, width);
    }
  }
}

inline void attention_values(const uint16_t* values, uint32_t first, uint32_t count, const QueryColumns& columns,
                             const AttentionShape& shape, const float* maximum, float* scores, float* sums,
                             float* out) {
  const uint32_t width = padded_head_dim(shape.head_dim), size = width * columns.count;
  for (uint32_t c = 0; c < columns.count; ++c) {
    const uint32_t begin = columns.begin[c] > first ? columns.begin[c] - first : 0;
    const uint32_t end = columns.end[c] > first ? columns.end[c] - first : 0;
    sums[c] = weigh_scores(begin, end, maximum[c], scores + c * kSpan);
  }
  ValueSums lane_sums;
  ValueSums stack[kTreeDepth];
  for (uint32_t visit = 0; visit < kLanes; ++visit) {
    const uint32_t from = kLaneOrder[visit] * kSpanLane;
    if (from < count) {
      const uint32_t positions = count - from < kSpanLane ? count - from : kSpanLane;
      sum_value_lane(values + size_t{first + from} * width, positions, columns.count, width, scores + from,
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
