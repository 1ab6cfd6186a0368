// What the attention kernels work on.
//
// The cache of one layer and KV head, for `capacity` positions (rounded up to whole spans), each in the order
// in which the kernels read it (lane_order.h), so that the hardware's prefetcher sees one ascending stream:
//   keys    f16 [block of 16 positions][element of the head, in lane order][16 positions]: a vector holds one
//           element of sixteen positions
//   values  f16 [span of 256 positions][lane of the span, as visited][16 positions][head_dim padded to 16]
// A kernel serves one KV head and up to kMaxQueryColumns columns: query heads of that KV head, of one or more
// tokens.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/exact_math.h"

namespace hb::cpu {

inline constexpr uint32_t kMaxQueryColumns = 16;
inline constexpr uint32_t kMaxHeadDim = 512;
inline constexpr uint32_t kMaxCacheRow = 16384;  // kv_heads * head_dim
inline constexpr uint32_t kSpan =
    256;  // positions whose weighted values are added up before they meet the others
inline constexpr uint32_t kSpanLane = 16;  // consecutive positions of one lane of a span

struct QueryColumns {
  const float* const* query;  // `count` pointers to (head_dim) floats
  uint32_t count;
  const uint32_t* begin;  // first and last + 1 position that a column may see
  const uint32_t* end;
};

struct AttentionShape {
  uint32_t head_dim;
  float scale;
  float softcap;  // 0: none
};

// Scores of positions [first, first + count) (first a multiple of 16, count up to kSpan) for every column,
// positions that a column may not see included: scores[c * kSpan + t - first].
using ScoreKernel = void (*)(const uint16_t* keys, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, float* scores);

// One span's share: weights exp(score - maximum[c]) of visible positions, 0 for others, their sum, and the
// weighted sum of values. scores is overwritten by the weights. sums[c], out[c * head_dim_padded + d].
using ValueKernel = void (*)(const uint16_t* values, uint32_t first, uint32_t count,
                             const QueryColumns& columns, const AttentionShape& shape, const float* maximum,
                             float* scores, float* sums, float* out);

HB_ALWAYS_INLINE constexpr uint32_t padded_head_dim(uint32_t head_dim) { return (head_dim + 15) / 16 * 16; }

}  // namespace hb::cpu
