// The product of a tile of 32 quantised rows and a panel of up to eight columns (tile_layout.h,
// matvec_args.h).
//
// Rows sit in the elements of a vector; one broadcast word of activations meets four columns of sixteen rows
// (two sixteens, from the two nibbles of the same bytes). A block of a part of the rows is unpacked once into
// registers and then multiplied with every column, so the number of columns is an ordinary loop count. The
// sixteen lanes are visited one after the other (lane_order.h); a lane's sums live in memory that stays in
// the first-level cache.
#pragma once

#include "backend/cpu/lane_order.h"
#include "backend/cpu/matvec_args.h"
#include "backend/cpu/simd.h"
#include "backend/cpu/tile_layout.h"

namespace hb::cpu::HB_CPU_ISA {

inline constexpr uint32_t kPartBytes = 4 * kWidth;  // of a 64-byte vector, one native vector

// Reading ahead of the kernel by this much hides the memory's latency; less or more than 4 to 9 KB read
// slower. Each vector's prefetch goes with its load: in one burst a record, Q8_0's 17 lines read at 0.82 of
// the read loop, spread at 0.92.
inline constexpr size_t kPrefetchBytes = 6144;

HB_ALWAYS_INLINE void prefetch(const uint8_t* from, size_t bytes) {
#pragma GCC unroll 8
  for (size_t line = 0; line < bytes; line += 64) __builtin_prefetch(from + kPrefetchBytes + line);
}

// One part of the vector at `from`. The first part prefetches for all.
HB_ALWAYS_INLINE Bytes load_part(const uint8_t* from, int part) {
  if (part == 0) prefetch(from, kVectorBytes);
  return load<Bytes>(from + part * kPartBytes);
}

// The codes of rows l and rows h of one part, eight groups each.
struct PartCodes {
  Bytes low[8];
  Bytes high[8];
};

HB_ALWAYS_INLINE void load_base4(const uint8_t* block, int part, PartCodes& codes) {
#pragma GCC unroll 8
  for (int j = 0; j < 8; ++j) {
    const Bytes pair = load_part(block + kVectorBytes * j, part);
    codes.low[j] = pair & (Bytes{} + 15);
    codes.high[j] = shift_right_and_mask<4>(pair, 15);
  }
}

HB_ALWAYS_INLINE void load_base2(const uint8_t* block, int part, PartCodes& codes) {
#pragma GCC unroll 4
  for (int m = 0; m < 4; ++m) {
    const Bytes four = load_part(block + kVectorBytes * m, part);
    codes.low[2 * m] = four & (Bytes{} + 3);
    codes.low[2 * m + 1] = shift_right_and_mask<2>(four, 3);
    codes.high[2 * m] = shift_right_and_mask<4>(four, 3);
    codes.high[2 * m + 1] = shift_right_and_mask<6>(four, 3);
  }
}

HB_ALWAYS_INLINE void load_base8(const uint8_t* block, int part, PartCodes& codes) {
#pragma GCC unroll 8
  for (int j = 0; j < 8; ++j) {
    codes.low[j] = load_part(block + kVectorBytes * j, part);
    codes.high[j] = load_part(block + kVectorBytes * (8 + j), part);
  }
}

// Moves `kCount` bits at position kFrom of every byte to position kTo, and clears the rest.
template <int kFrom, int kTo, int kCount>
HB_ALWAYS_INLINE Bytes move_bits(Bytes v) {
  constexpr uint8_t kMask = ((1 << kCount) - 1) << kTo;
  if constexpr (kFrom > kTo) return shift_right_and_mask<kFrom - kTo>(v, kMask);
  if constexpr (kFrom < kTo) return shift_left_and_mask<kTo - kFrom>(v, kMask);
  return v & (Bytes{} + kMask);
}

template <int kBase, int kGroup>
HB_ALWAYS_INLINE void add_one_high_bit(Bytes bits, Bytes* codes) {
  if constexpr (kGroup < 8) {
    codes[kGroup] = codes[kGroup] | move_bits<kGroup, kBase, 1>(bits);
    add_one_high_bit<kBase, kGroup + 1>(bits, codes);
  }
}

template <int kBase, int kGroup>
HB_ALWAYS_INLINE void add_two_high_bits(Bytes bits, Bytes* codes) {
  if constexpr (kGroup < 4) {
    codes[kGroup] = codes[kGroup] | move_bits<2 * kGroup, kBase, 2>(bits);
    add_two_high_bits<kBase, kGroup + 1>(bits, codes);
  }
}

template <TensorType kType>
HB_ALWAYS_INLINE PartCodes load_codes(const uint8_t* block, int part) {
  constexpr FormatTraits kFormat = format_traits(kType);
  constexpr BlockLayout kLayout = block_layout(kFormat);
  PartCodes codes;
  if constexpr (kLayout.base_bits == 8) load_base8(block, part, codes);
  if constexpr (kLayout.base_bits == 4) load_base4(block, part, codes);
  if constexpr (kLayout.base_bits == 2) load_base2(block, part, codes);
  const uint8_t* high = block + kLayout.high_offset;
  if constexpr (kLayout.high_bits == 1) {
    add_one_high_bit<kLayout.base_bits, 0>(load_part(high, part), codes.low);
    add_one_high_bit<kLayout.base_bits, 0>(load_part(high + kVectorBytes, part), codes.high);
  }
  if constexpr (kLayout.high_bits == 2) {
    add_two_high_bits<kLayout.base_bits, 0>(load_part(high, part), codes.low);
    add_two_high_bits<kLayout.base_bits, 0>(load_part(high + kVectorBytes, part), codes.low + 4);
    add_two_high_bits<kLayout.base_bits, 0>(load_part(high + 2 * kVectorBytes, part), codes.high);
    add_two_high_bits<kLayout.base_bits, 0>(load_part(high + 3 * kVectorBytes, part), codes.high + 4);
  }
  if constexpr (kFormat.codebook) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      codes.low[j] = lookup16(kIq4NlValues, codes.low[j]);
      codes.high[j] = lookup16(kIq4NlValues, codes.high[j]);
    }
  }
  return codes;
}

// Scales of one part of one sixteen of rows, in the contract's terms.
struct PartScales {
  Floats scale;
  Floats minimum[2];
  Ints group_scale[2];
};

template <TensorType kType>
HB_ALWAYS_INLINE PartScales load_scales(const uint8_t* header, const uint8_t* scales, uint32_t row) {
  constexpr ScaleKind kKind = format_traits(kType).scales;
  PartScales out = {};
  if constexpr (blocks_per_super(kKind) == 1) {
    out.scale = load_half(reinterpret_cast<const uint16_t*>(scales) + row);
    if constexpr (has_minimum(kKind)) {
      out.minimum[0] = load_half(reinterpret_cast<const uint16_t*>(scales) + kTileRows + row);
    }
    return out;
  }
  const auto* super = reinterpret_cast<const uint16_t*>(header) + row;
  out.scale = load_half(super);
  if constexpr (has_group_scales(kKind)) {
    out.group_scale[0] = load_i8(scales + row);
    out.group_scale[1] = load_i8(scales + kTileRows + row);
  } else {
    out.scale = out.scale * to_floats(load_u8(scales + row));
  }
  if constexpr (has_minimum(kKind)) {
    const Floats minimum = load_half(super + kTileRows);
    const uint8_t* factors = scales + (has_group_scales(kKind) ? 2 : 1) * kTileRows + row;
    out.minimum[0] = minimum * to_floats(load_u8(factors));
    if constexpr (has_group_scales(kKind)) out.minimum[1] = minimum * to_floats(load_u8(factors + kTileRows));
  }
  return out;
}

// Of the rows l and the rows h of a part.
struct Products {
  Ints low;
  Ints high;
};

// Where the sums of a dot product start: -offset * sum of the activations takes the offset of the codes out
// again.
template <int kOffset>
HB_ALWAYS_INLINE Ints start_sum(int32_t activation_sum) {
  if constexpr (kOffset == 0) return Ints{};
  return splat_int(activation_sum) * -kOffset;
}

// The exact integer products of a block: sum over halves of group scale * (codes . activations).
template <TensorType kType>
HB_ALWAYS_INLINE Products integer_products(const PartCodes& codes, const PartScales& low,
                                           const PartScales& high, const int8_t* x, const BlockMeta& meta) {
  constexpr FormatTraits kFormat = format_traits(kType);
  constexpr bool kSigned = kFormat.code_bits == 8 || kFormat.codebook;
  constexpr int kBits = kSigned ? 8 : kFormat.code_bits;
  constexpr int kOffset = kSigned ? kSignedBias : kFormat.zero_point;
  Products sum;
  if constexpr (!has_group_scales(kFormat.scales)) {
    sum.low = sum.high = start_sum<kOffset>(meta.sum);
    dot<kBits, 8>(codes.low, codes.high, x, sum.low, sum.high);
    return sum;
  }
  Products last;
  sum.low = sum.high = start_sum<kOffset>(meta.half_sum[0]);
  last.low = last.high = start_sum<kOffset>(meta.half_sum[1]);
  dot<kBits, 4>(codes.low, codes.high, x, sum.low, sum.high);
  dot<kBits, 4>(codes.low + 4, codes.high + 4, x + 16, last.low, last.high);
  sum.low = sum.low * low.group_scale[0] + last.low * low.group_scale[1];
  sum.high = sum.high * high.group_scale[0] + last.high * high.group_scale[1];
  return sum;
}

template <TensorType kType>
HB_ALWAYS_INLINE Floats block_term(Ints product, const PartScales& scales, const BlockMeta& meta) {
  constexpr ScaleKind kKind = format_traits(kType).scales;
  const Floats scale = scales.scale * splat(meta.scale);
  Floats term = to_floats(product) * scale;
  if constexpr (kKind == ScaleKind::kGroupedAffine) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const float half_weighted_sum = meta.scale * static_cast<float>(meta.half_sum[h]);
      const Floats offset = scales.minimum[h] * splat(half_weighted_sum);
      term = term + offset;
    }
  } else if constexpr (has_minimum(kKind)) {
    const Floats offset = scales.minimum[0] * splat(meta.weighted_sum);
    term = term + offset;
  }
  return term;
}

// The sums in progress: [0] those of the lane that is visited, [1 + level] those that wait for their partner
// (lane_order.h), and behind them the result.
struct LaneSums {
  PanelSums level[1 + kTreeDepth];
};

// What happens to the term of a block: the sums in [begin, end) are added to it, the total goes to `target`.
// A lane's first block begins behind level[0]; its last one goes on to the sums that wait.
struct BlockPlace {
  const PanelSums* begin;
  const PanelSums* end;
  PanelSums* target;
};

HB_ALWAYS_INLINE BlockPlace place_block(bool first, bool last, uint32_t joins, LaneSums& sums,
                                        PanelSums& out) {
  PanelSums* joined = joins < kTreeDepth ? &sums.level[1 + joins] : &out;
  return {.begin = sums.level + (first ? 1 : 0),
          .end = sums.level + 1 + (last ? joins : 0),
          .target = last ? joined : sums.level};
}

HB_ALWAYS_INLINE void add_term(Floats term, const BlockPlace& place, uint32_t column, uint32_t row) {
  for (const PanelSums* sums = place.begin; sums != place.end; ++sums) {
    term = load<Floats>(sums->value[column] + row) + term;
  }
  store(place.target->value[column] + row, term);
}

// One block of a panel: its place among the lanes, its weights and activations.
struct BlockWork {
  const uint8_t* header;
  const uint8_t* record;
  const int8_t* x;
  const BlockMeta* meta;
  uint32_t width;
  BlockPlace place;
};

template <TensorType kType>
HB_ALWAYS_INLINE void multiply_block(const BlockWork& work) {
  constexpr BlockLayout kLayout = block_layout(format_traits(kType));
#pragma GCC unroll 4
  for (int p = 0; p < kParts; ++p) {
    const uint32_t row = p * kWidth;
    const PartCodes codes = load_codes<kType>(work.record, p);
    const PartScales low = load_scales<kType>(work.header, work.record + kLayout.scale_offset, row);
    const PartScales high = load_scales<kType>(work.header, work.record + kLayout.scale_offset, 16 + row);
    for (uint32_t c = 0; c < work.width; ++c) {
      const int8_t* x = one_register(work.x + kBlockElems * c);
      const Products products = integer_products<kType>(codes, low, high, x, work.meta[c]);
      add_term(block_term<kType>(products.low, low, work.meta[c]), work.place, c, row);
      add_term(block_term<kType>(products.high, high, work.meta[c]), work.place, c, 16 + row);
    }
  }
}

// A lane that has no block joins the others as +0.
inline void join_empty_lane(uint32_t width, const BlockPlace& place) {
  for (uint32_t c = 0; c < width; ++c) {
    for (uint32_t r = 0; r < kTileRows; r += kWidth) add_term(Floats{}, place, c, r);
  }
}

template <TensorType kType>
void tile_product(const uint8_t* tile, uint32_t cols, const QuantisedPanel& panel, PanelSums& out) {
  constexpr FormatTraits kFormat = format_traits(kType);
  constexpr BlockLayout kLayout = block_layout(kFormat);
  const uint32_t blocks = cols / kBlockElems;
  const uint8_t* record = tile + tile_header_bytes(kFormat, blocks);
  prefetch(tile, record - tile);
  LaneSums sums;
  for (uint32_t visit = 0; visit < kLanes; ++visit) {
    const uint32_t lane = kLaneOrder[visit], joins = joins_after(visit);
    if (lane >= blocks) join_empty_lane(panel.width, place_block(true, true, joins, sums, out));
    for (uint32_t b = lane; b < blocks; b += kLanes, record += kLayout.bytes) {
      prefetch(record + kLayout.scale_offset, kLayout.bytes - kLayout.scale_offset);
      const size_t slot = size_t{b} * panel.width;
      multiply_block<kType>(
          {.header = tile + size_t{b / blocks_per_super(kFormat.scales)} * kLayout.header_bytes,
           .record = record,
           .x = panel.codes + kBlockElems * slot,
           .meta = panel.meta + slot,
           .width = panel.width,
           .place = place_block(b == lane, b + kLanes >= blocks, joins, sums, out)});
    }
  }
  // Memory stays busy while the rows are finished and the next tile begins: 3 % of decoding a small model.
  prefetch(record, 1024);
}

}  // namespace hb::cpu::HB_CPU_ISA
