// How the device holds a matrix: the one definition that packing, kernels and their tests share.
//
// Rows are in groups of four (the last group padded with zeros). A group is read by sixteen lanes, lane =
// block mod 16 (docs/numerics.md, section 3), so everything of block b = 16 i + lane lies at (group, i, …,
// lane) and neighbouring lanes read neighbouring words. i counts to `steps`, the blocks of a row divided by
// 16, rounded up.
//
// Quantised formats are up to four sections. In them, a plane of w uvec4 a block is (group, i, j < w, lane)
// uvec4:
//   codes  4-bit codes, w = 4: j = 2 pair + half; the word of columns 4 c … 4 c + 3 of the half is component
//   c; its
//          bytes are the columns; low nibble row `pair`, high nibble row `pair + 2`
//          8-bit codes, w = 8: j = 2 row + half; component c as above, a byte a code
//          2-bit codes, w = 2: j = half; component r is a row; bits 8 byte + 2 c hold column 4 c + byte
//   high   bits above those: 2 bits as the 2-bit codes, w = 2; 1 bit, w = 1: component r is a row; bit 8 byte
//   + c holds
//          column 4 c + byte of the block, c < 8
//   scales (group, i, lane) uvec2: four f16 scales; or, where scales are integers of a super-block of 256,
//   bytes of the
//          rows: SuperAffine scale, minimum; Grouped the scales of each half; GroupedAffine the same,
//          minimums in the high nibbles
//   extra  Affine: (group, i, lane) uvec2 of four f16 minimums; with super-blocks: (group, super-block) two
//   uvec2, four
//          f16 scales and four f16 minimums; a row has 2 steps super-blocks
// F32, F16 and BF16 are one section, (group, i, lane) of four rows at column 16 i + lane, 4 or 2 bytes each.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "plan/plan.h"

namespace hb::vulkan {

inline constexpr uint32_t kGroupRows = 4;
inline constexpr uint32_t kLaneCount = 16;
inline constexpr uint32_t kFlippedHighBits = 0x80808080u;
inline constexpr uint32_t kSections = 4;  // codes (or values), high, scales, extra
inline constexpr uint32_t kScalesSection = 2, kExtraSection = 3;

struct WeightLayout {
  uint32_t steps;                   // sixteen blocks (or columns) each, of a row
  uint32_t units;                   // blocks (or columns) of a row
  uint32_t groups;                  // of four rows
  uint32_t group_bytes[kSections];  // 0: the format has no such section
};
WeightLayout weight_layout(TensorType type, uint32_t rows, uint32_t cols);

// Packs row group `group` of a matrix. `out`: group_bytes of each section, zeroed.
// REQUIRES: rows that check_row() accepts.
// `flip`: 4-bit codes are stored combined with it by exclusive or: 0, or kFlippedHighBits, which makes the
// high nibble of every byte the signed code (code - 8).
void pack_group(const PlanWeight& weight, uint32_t group, uint32_t flip,
                const std::span<uint8_t> (&out)[kSections]);

}  // namespace hb::vulkan
