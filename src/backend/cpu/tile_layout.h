// How the CPU backend stores a weight matrix: tiles of 32 rows, in the order in which the kernels read them.
//
// A tile of a quantised matrix (N rows, K = 32 * blocks columns):
//   [super headers]  formats with super-blocks: for each super-block of 256 columns, f16 scale of 32 rows,
//   then (where
//                    the format has minimums) f16 minimum of 32 rows, its sign such that it is added
//   [blocks]         one record a block of 32 columns, in lane order (lane_order.h):
//     codes          64-byte vectors; byte 4 r + i of a vector belongs to row r (of sixteen) and column i (of
//     four), so
//                    that a 32-bit element is one row and a broadcast word of activations serves sixteen
//                    rows. "Rows l" are the tile's rows 0-15, "rows h" its rows 16-31; group j is columns 4 j
//                    … 4 j + 3.
//       4-bit base   8 vectors, one a group j: rows l in the low nibble, rows h in the high one
//       2-bit base   4 vectors, one for groups 2 m, 2 m + 1; bits 0-1 rows l group 2 m, 2-3 rows l group 2 m
//       + 1,
//                    4-5 rows h group 2 m, 6-7 rows h group 2 m + 1
//       8 bits       8 vectors of rows l, then 8 of rows h
//       one high bit (3- and 5-bit codes)  one vector for rows l, one for rows h: bit j is group j's
//       two high bits (6-bit codes)        two vectors for rows l, two for rows h: bits 2 (j % 4) of vector j
//       / 4
//     scales         of 32 rows each: plain: f16 scale; affine: f16 scale, f16 minimum; super-affine: u8
//     scale, u8
//                    minimum; grouped: i8 scale of the first 16 columns, of the last 16; grouped-affine:
//                    likewise, then u8 minimum of the first 16, of the last 16
// A tile of an F32, F16 or BF16 matrix: the elements of 32 rows for each column, columns in lane order.
// Rows beyond N are zero. The last tile is stored whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/exact_math.h"
#include "quant/activation.h"
#include "quant/format_traits.h"

namespace hb::cpu {

inline constexpr uint32_t kTileRows = 32;
inline constexpr uint32_t kVectorBytes = 64;

struct BlockLayout {
  uint32_t base_bits;     // 2, 4 or 8
  uint32_t high_bits;     // 0, 1 or 2
  uint32_t high_offset;   // of the high bits, in a block's record
  uint32_t scale_offset;  // of the scales
  uint32_t bytes;         // of the record
  uint32_t header_bytes;  // a super-block
};

HB_ALWAYS_INLINE constexpr BlockLayout block_layout(const FormatTraits& format) {
  BlockLayout layout = {};
  layout.base_bits = format.code_bits == 8 ? 8 : format.code_bits >= 4 ? 4 : 2;
  layout.high_bits = format.code_bits - layout.base_bits;
  layout.high_offset = kTileRows * kBlockElems * layout.base_bits / 8;
  layout.scale_offset = layout.high_offset + kTileRows * kBlockElems * layout.high_bits / 8;
  const bool small_scales = blocks_per_super(format.scales) > 1;
  const uint32_t scale_bytes = small_scales ? 1 : 2;
  const uint32_t groups = has_group_scales(format.scales) ? 2 : 1;
  const uint32_t values = groups * (has_minimum(format.scales) ? 2 : 1);
  layout.bytes = layout.scale_offset + kTileRows * scale_bytes * values;
  layout.header_bytes = small_scales ? kTileRows * 2 * (has_minimum(format.scales) ? 2 : 1) : 0;
  return layout;
}

HB_ALWAYS_INLINE constexpr size_t tile_header_bytes(const FormatTraits& format, uint32_t blocks) {
  const uint32_t per_super = blocks_per_super(format.scales);
  return size_t{(blocks + per_super - 1) / per_super} * block_layout(format).header_bytes;
}

// Bytes of one tile of a matrix with `cols` columns, of any type.
HB_ALWAYS_INLINE constexpr size_t tile_bytes(TensorType type, uint32_t cols) {
  const FormatTraits* format = find_format_traits(type);
  if (format == nullptr) return size_t{cols} * kTileRows * (type == TensorType::kF32 ? 4 : 2);
  const uint32_t blocks = cols / kBlockElems;
  return tile_header_bytes(*format, blocks) + size_t{blocks} * block_layout(*format).bytes;
}

HB_ALWAYS_INLINE constexpr uint32_t tile_count(uint32_t rows) { return (rows + kTileRows - 1) / kTileRows; }

}  // namespace hb::cpu
