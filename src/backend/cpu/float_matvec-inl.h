// The product of a tile of 32 rows of F32, F16 or BF16 weights and up to eight float columns.
//
// As in matvec-inl.h rows sit in vector elements and the sixteen lanes are visited one after the other; here
// a lane is made of single elements, so its sums stay in registers and the number of columns is a template
// parameter.
#pragma once

#include "backend/cpu/lane_order.h"
#include "backend/cpu/matvec-inl.h"

namespace hb::cpu::HB_CPU_ISA {

template <TensorType kType>
HB_ALWAYS_INLINE Floats load_weights(const uint8_t* column, uint32_t row) {
  if constexpr (kType == TensorType::kF32) {
    return load<Floats>(column + 4 * row);
  } else if constexpr (kType == TensorType::kF16) {
    return load_half(reinterpret_cast<const uint16_t*>(column) + row);
  } else {
    return reinterpret_cast<Floats>(load_u16(reinterpret_cast<const uint16_t*>(column) + row) << 16);
  }
}

// One lane of kColumns columns, for a native vector of rows. `weights`: the lane's first element.
template <TensorType kType, int kColumns>
HB_ALWAYS_INLINE void multiply_float_lane(const uint8_t* weights, uint32_t lane, uint32_t cols,
                                          const FloatPanel& panel, uint32_t column, uint32_t row,
                                          const BlockPlace& place) {
  constexpr size_t kStride = kTileRows * (kType == TensorType::kF32 ? 4 : 2);
  Floats acc[kColumns];
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c)
    acc[c] = splat(lane < cols ? -0.0f : 0.0f);  // -0 + x is x: the first is assigned
  const float* x = panel.values + column * panel.stride;
  for (uint32_t i = lane; i < cols; i += kLanes, weights += kStride) {
    const Floats w = load_weights<kType>(weights, row);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) {
      const Floats product = w * splat(x[c * panel.stride + i]);
      acc[c] = acc[c] + product;
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) add_term(acc[c], place, column + c, row);
}

template <TensorType kType>
void float_tile_product(const uint8_t* tile, uint32_t cols, const FloatPanel& panel, PanelSums& out) {
  constexpr size_t kStride = kTileRows * (kType == TensorType::kF32 ? 4 : 2);
  LaneSums sums;
  const uint8_t* weights = tile;
  for (uint32_t visit = 0; visit < kLanes; ++visit) {
    const uint32_t lane = kLaneOrder[visit];
    const BlockPlace place = place_block(true, true, joins_after(visit), sums, out);
    for (uint32_t row = 0; row < kTileRows; row += kWidth) {
      uint32_t c = 0;
      for (; c + 4 <= panel.width; c += 4) {
        multiply_float_lane<kType, 4>(weights, lane, cols, panel, c, row, place);
      }
      for (; c < panel.width; ++c) multiply_float_lane<kType, 1>(weights, lane, cols, panel, c, row, place);
    }
    if (lane < cols) weights += (cols - lane + kLanes - 1) / kLanes * kStride;
  }
}

}  // namespace hb::cpu::HB_CPU_ISA
