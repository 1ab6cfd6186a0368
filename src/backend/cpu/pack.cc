#include "backend/cpu/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "backend/cpu/lane_order.h"
#include "backend/cpu/tile_layout.h"
#include "quant/unpack.h"
#include "quant/weight_block.h"

namespace hb::cpu {
namespace {

// Unsigned codes of one block of a tile: 32 rows of 8 words, word j holding the codes of columns 4 j … 4 j
// + 3.
struct TileCodes {
  uint32_t word[kTileRows][8];
};

void store_base4(const TileCodes& codes, uint8_t* out) {
  auto* words = reinterpret_cast<uint32_t*>(out);
  for (int j = 0; j < 8; ++j) {
    for (int r = 0; r < 16; ++r) {
      const uint32_t low = codes.word[r][j] & 0x0f0f0f0fu;
      const uint32_t high = codes.word[r + 16][j] & 0x0f0f0f0fu;
      words[16 * j + r] = low | high << 4;
    }
  }
}

void store_base2(const TileCodes& codes, uint8_t* out) {
  auto* words = reinterpret_cast<uint32_t*>(out);
  for (int m = 0; m < 4; ++m) {
    for (int r = 0; r < 16; ++r) {
      const uint32_t* low = &codes.word[r][2 * m];
      const uint32_t* high = &codes.word[r + 16][2 * m];
      constexpr uint32_t kMask = 0x03030303u;
      words[16 * m + r] =
          (low[0] & kMask) | (low[1] & kMask) << 2 | (high[0] & kMask) << 4 | (high[1] & kMask) << 6;
    }
  }
}

void store_base8(const TileCodes& codes, uint8_t* out) {
  auto* words = reinterpret_cast<uint32_t*>(out);
  for (int half = 0; half < 2; ++half) {
    for (int j = 0; j < 8; ++j) {
      for (int r = 0; r < 16; ++r) words[16 * (8 * half + j) + r] = codes.word[16 * half + r][j];
    }
  }
}

void store_one_high_bit(const TileCodes& codes, uint32_t base_bits, uint8_t* out) {
  auto* words = reinterpret_cast<uint32_t*>(out);
  for (uint32_t r = 0; r < kTileRows; ++r) {
    uint32_t bits = 0;
    for (int j = 0; j < 8; ++j) bits |= ((codes.word[r][j] >> base_bits) & 0x01010101u) << j;
    words[r] = bits;
  }
}

void store_two_high_bits(const TileCodes& codes, uint32_t base_bits, uint8_t* out) {
  auto* words = reinterpret_cast<uint32_t*>(out);
  for (int half = 0; half < 2; ++half) {
    for (int v = 0; v < 2; ++v) {
      for (int r = 0; r < 16; ++r) {
        uint32_t bits = 0;
        for (int j = 0; j < 4; ++j) {
          bits |= ((codes.word[16 * half + r][4 * v + j] >> base_bits) & 0x03030303u) << (2 * j);
        }
        words[16 * (2 * half + v) + r] = bits;
      }
    }
  }
}

template <TensorType kType>
void store_codes(const TileCodes& codes, uint8_t* block) {
  constexpr BlockLayout kLayout = block_layout(format_traits(kType));
  if constexpr (kLayout.base_bits == 8) store_base8(codes, block);
  if constexpr (kLayout.base_bits == 4) store_base4(codes, block);
  if constexpr (kLayout.base_bits == 2) store_base2(codes, block);
  if constexpr (kLayout.high_bits == 1)
    store_one_high_bit(codes, kLayout.base_bits, block + kLayout.high_offset);
  if constexpr (kLayout.high_bits == 2)
    store_two_high_bits(codes, kLayout.base_bits, block + kLayout.high_offset);
}

// f32_to_f16 of a value that came from f16 is exact.
void store_f16(uint8_t* to, uint32_t index, float value) {
  const uint16_t bits = f32_to_f16(value);
  std::memcpy(to + 2 * index, &bits, 2);
}

template <ScaleKind kKind>
void store_scales(const BlockScales& scales, uint32_t r, uint8_t* out) {
  if constexpr (kKind == ScaleKind::kPlain || kKind == ScaleKind::kAffine) {
    store_f16(out, r, scales.scale);
    if constexpr (kKind == ScaleKind::kAffine) store_f16(out, kTileRows + r, scales.minimum);
  } else if constexpr (kKind == ScaleKind::kSuperAffine) {
    out[r] = static_cast<uint8_t>(scales.group_scale[0]);
    out[kTileRows + r] = static_cast<uint8_t>(scales.group_minimum[0]);
  } else {
    for (uint32_t half = 0; half < 2; ++half) {
      out[half * kTileRows + r] = static_cast<uint8_t>(scales.group_scale[half]);
      if constexpr (has_minimum(kKind)) {
        out[(2 + half) * kTileRows + r] = static_cast<uint8_t>(scales.group_minimum[half]);
      }
    }
  }
}

Status check_scales(const BlockScales& scales, uint32_t block) {
  if (std::isfinite(scales.scale) && std::isfinite(scales.minimum)) return {};
  return fail(ErrorCode::kBadFile, fmt::format("block {} has scale {} and minimum {}; both must be finite",
                                               block, scales.scale, scales.minimum));
}

struct TileSource {
  const uint8_t* first_row;
  size_t row_bytes;
  uint32_t first;  // number of that row in the matrix, for messages
  uint32_t rows;   // that exist, 1 to 32
};

std::unexpected<Error> in_row(const TileSource& source, uint32_t r, const Status& status) {
  return std::unexpected(status.error().within(fmt::format("row {}", source.first + r)));
}

template <TensorType kType>
void pack_codes(const TileSource& source, uint32_t block, uint8_t* out) {
  TileCodes codes = {};
  for (uint32_t r = 0; r < source.rows; ++r) {
    alignas(32) uint8_t bytes[kBlockElems];
    unpack_codes<kType>(source.first_row + r * source.row_bytes, block, bytes);
    std::memcpy(codes.word[r], bytes, kBlockElems);
  }
  store_codes<kType>(codes, out);
}

template <TensorType kType>
Status pack_scales(const TileSource& source, uint32_t block, uint8_t* headers, uint8_t* out) {
  constexpr FormatTraits kFormat = format_traits(kType);
  constexpr BlockLayout kLayout = block_layout(kFormat);
  for (uint32_t r = 0; r < source.rows; ++r) {
    const BlockScales scales = unpack_scales<kType>(source.first_row + r * source.row_bytes, block);
    if (const Status status = check_scales(scales, block); !status) return in_row(source, r, status);
    store_scales<kFormat.scales>(scales, r, out + kLayout.scale_offset);
    if constexpr (kLayout.header_bytes > 0) {
      uint8_t* header = headers + size_t{block / 8} * kLayout.header_bytes;
      store_f16(header, r, scales.scale);
      if constexpr (has_minimum(kFormat.scales)) store_f16(header, kTileRows + r, scales.minimum);
    }
  }
  return {};
}

template <TensorType kType>
Status pack_quantised_tile(const TileSource& source, uint32_t blocks, uint8_t* out) {
  constexpr BlockLayout kLayout = block_layout(format_traits(kType));
  uint8_t* records = out + tile_header_bytes(format_traits(kType), blocks);
  Status status;
  for_each_in_lane_order(blocks, [&](uint32_t block, uint32_t position) {
    uint8_t* record = records + size_t{position} * kLayout.bytes;
    pack_codes<kType>(source, block, record);
    if (Status packed = pack_scales<kType>(source, block, out, record); !packed && status) status = packed;
  });
  return status;
}

Status pack_float_tile(TensorType type, const TileSource& source, uint32_t cols, uint8_t* out) {
  for (uint32_t r = 0; r < source.rows; ++r) {
    const uint8_t* row = source.first_row + r * source.row_bytes;
    if (const Status status = check_row(type, row, cols); !status) return in_row(source, r, status);
    for_each_in_lane_order(cols, [&](uint32_t col, uint32_t position) {
      const float value = load_float(type, row, col);
      const size_t index = size_t{position} * kTileRows + r;
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      if (type == TensorType::kF32) {
        std::memcpy(out + 4 * index, &bits, 4);
      } else {
        const uint16_t half =
            type == TensorType::kF16 ? f32_to_f16(value) : static_cast<uint16_t>(bits >> 16);
        std::memcpy(out + 2 * index, &half, 2);
      }
    });
  }
  return {};
}

}  // namespace

Status pack_tile(const PlanWeight& weight, uint32_t tile, uint8_t* out) {
  const TensorTypeInfo& info = tensor_type_info(weight.type);
  const size_t row_bytes = size_t{weight.cols} / info.block_elems * info.block_bytes;
  const uint32_t first = tile * kTileRows;
  const TileSource source = {weight.bytes.data() + first * row_bytes, row_bytes, first,
                             std::min(kTileRows, weight.rows - first)};
  std::memset(out, 0, tile_bytes(weight.type, weight.cols));
  Status status;
  if (is_quantised(weight.type)) {
    status = with_quantised_type(weight.type, [&]<TensorType kType>() {
      return pack_quantised_tile<kType>(source, weight.cols / kBlockElems, out);
    });
  } else {
    status = pack_float_tile(weight.type, source, weight.cols, out);
  }
  if (status) return {};
  return std::unexpected(status.error().within(fmt::format("tensor '{}'", weight.name)));
}

namespace {

// The unsigned code of column 4 j + i of row r in a packed block.
uint32_t packed_code(const FormatTraits& format, const uint8_t* block, uint32_t r, uint32_t j, uint32_t i) {
  const BlockLayout layout = block_layout(format);
  const uint32_t half = r / 16, byte = 4 * (r % 16) + i;
  if (layout.base_bits == 8) return block[kVectorBytes * (8 * half + j) + byte];
  const uint8_t* high = block + layout.high_offset;
  uint32_t code;
  if (layout.base_bits == 4) {
    code = block[kVectorBytes * j + byte] >> (4 * half) & 15;
  } else {
    code = block[kVectorBytes * (j / 2) + byte] >> (4 * half + 2 * (j % 2)) & 3;
  }
  if (layout.high_bits == 1) code |= (high[kVectorBytes * half + byte] >> j & 1u) << layout.base_bits;
  if (layout.high_bits == 2) {
    code |= (high[kVectorBytes * (2 * half + j / 4) + byte] >> (2 * (j % 4)) & 3u) << layout.base_bits;
  }
  return code;
}

float packed_f16(const uint8_t* at, uint32_t index) {
  uint16_t bits;
  std::memcpy(&bits, at + 2 * index, 2);
  return f16_to_f32(bits);
}

// The scales of row r of a packed block as the reference has them (weight_block.h).
void packed_scales(ScaleKind kind, const uint8_t* header, const uint8_t* scales, uint32_t r,
                   WeightBlock& out) {
  out.group_scale[0] = out.group_scale[1] = 1;
  if (blocks_per_super(kind) == 1) {
    out.scale = packed_f16(scales, r);
    out.minimum[0] = out.minimum[1] = has_minimum(kind) ? packed_f16(scales, kTileRows + r) : 0.0f;
    return;
  }
  out.scale = packed_f16(header, r);
  const float minimum = has_minimum(kind) ? packed_f16(header, kTileRows + r) : 0.0f;
  const uint32_t groups = has_group_scales(kind) ? 2 : 1;
  if (groups == 1) out.scale = out.scale * static_cast<float>(scales[r]);
  for (uint32_t h = 0; h < 2; ++h) {
    if (groups == 2) out.group_scale[h] = static_cast<int8_t>(scales[h * kTileRows + r]);
    if (has_minimum(kind)) {
      out.minimum[h] = minimum * static_cast<float>(scales[(groups + h % groups) * kTileRows + r]);
    }
  }
}

void unpack_quantised_row(const FormatTraits& format, const uint8_t* tile, uint32_t cols, uint32_t r,
                          float* out) {
  const BlockLayout layout = block_layout(format);
  const uint32_t blocks = cols / kBlockElems;
  const uint8_t* records = tile + tile_header_bytes(format, blocks);
  for_each_in_lane_order(blocks, [&](uint32_t b, uint32_t position) {
    const uint8_t* record = records + size_t{position} * layout.bytes;
    WeightBlock block;
    packed_scales(format.scales, tile + size_t{b / 8} * layout.header_bytes, record + layout.scale_offset, r,
                  block);
    for (uint32_t i = 0; i < kBlockElems; ++i) {
      const auto code = static_cast<uint8_t>(packed_code(format, record, r, i / 4, i % 4));
      block.codes[i] = format.codebook ? kIq4NlValues[code]
                                       : static_cast<int8_t>(static_cast<int8_t>(code) - format.zero_point);
    }
    for (uint32_t i = 0; i < kBlockElems; ++i)
      out[b * kBlockElems + i] = block_value(block, format.scales, i);
  });
}

}  // namespace

void unpack_row(TensorType type, const uint8_t* tiles, uint32_t cols, uint32_t row, float* out) {
  const uint8_t* tile = tiles + size_t{row / kTileRows} * tile_bytes(type, cols);
  const uint32_t r = row % kTileRows;
  if (const FormatTraits* format = find_format_traits(type))
    return unpack_quantised_row(*format, tile, cols, r, out);
  const uint32_t elem_bytes = type == TensorType::kF32 ? 4 : 2;
  for_each_in_lane_order(cols, [&](uint32_t col, uint32_t position) {
    const uint8_t* column = tile + size_t{position} * kTileRows * elem_bytes;
    out[col] = load_float(type, column, r);
  });
}

}  // namespace hb::cpu
