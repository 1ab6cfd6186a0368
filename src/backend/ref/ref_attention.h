// Attention of one head of one token over the cached positions that it may see: the contract's definition.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.h"

namespace hb::ref {

// One KV head of one layer's cache. BORROWS f16 rows of head_dim elements, `stride` elements from position to
// position.
struct HeadCache {
  const uint16_t* keys;
  const uint16_t* values;
  uint32_t stride;
};

// The cached positions that the token at `position` sees, first and last.
struct PositionRange {
  uint32_t first;
  uint32_t last;
};
PositionRange visible_positions(uint32_t position, uint32_t window);

// `query` and `out`: head_dim floats of one head.
void attention_head(const AttentionOp& op, const HeadCache& cache, PositionRange range,
                    std::span<const float> query, std::span<float> out);

}  // namespace hb::ref
