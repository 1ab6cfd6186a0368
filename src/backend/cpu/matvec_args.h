// What matrix kernels work on: plain pointers and counts, shared by the kernels of every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quant/tensor_type.h"

namespace hb::cpu {

// Columns (tokens) that a kernel multiplies in one pass over a tile.
inline constexpr uint32_t kMaxPanel = 8;

// What goes with 32 activation codes (see quant/activation.h).
struct BlockMeta {
  float scale;
  float weighted_sum;
  int32_t sum;  // of the block; half_sum: of its halves
  int32_t half_sum[2];
};

// A panel: `width` (1 to kMaxPanel) columns of quantised activations. Block b of column c has its codes at
// codes + 32 * (b * width + c) and its scale and sums at meta[b * width + c].
struct QuantisedPanel {
  const int8_t* codes;
  const BlockMeta* meta;
  uint32_t width;
};

// Sums for the 32 rows of a tile and the columns of a panel.
struct alignas(64) PanelSums {
  float value[kMaxPanel][32];  // [column][row]
};

// The product of one tile (32 rows, `cols` columns of K) and a panel.
using TileKernel = void (*)(const uint8_t* tile, uint32_t cols, const QuantisedPanel& panel, PanelSums& out);

// Likewise for F32, F16 and BF16 tiles. x: (width, cols) floats, `stride` floats apart.
struct FloatPanel {
  const float* values;
  size_t stride;
  uint32_t width;
};
using FloatTileKernel = void (*)(const uint8_t* tile, uint32_t cols, const FloatPanel& panel, PanelSums& out);

}  // namespace hb::cpu
