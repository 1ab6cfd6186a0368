#include "backend/vulkan/weight_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "quant/format_traits.h"
#include "quant/unpack.h"
#include "quant/weight_block.h"

namespace hb::vulkan {
namespace {

constexpr uint32_t kWordsPerBlock = kBlockElems / 4;

constexpr uint32_t base_bits(const FormatTraits& traits) {
  return traits.code_bits == 8 ? 8 : traits.code_bits >= 4 ? 4 : 2;
}
constexpr uint32_t high_bits(const FormatTraits& traits) { return traits.code_bits - base_bits(traits); }

// uvec4 of a block of four rows with codes of `bits`.
constexpr uint32_t plane_words(uint32_t bits) { return bits; }

struct BlockPlace {
  uint32_t step;
  uint32_t lane;

  // Index of vector j, of `width` a block.
  size_t vector(uint32_t width, uint32_t j = 0) const {
    return (size_t{step} * width + j) * kLaneCount + lane;
  }
};

struct Sections {
  uint32_t flip;
  uint32_t* codes;
  uint32_t* high;
  uint32_t* scales;
  uint32_t* extra;
};

// The codes of a block of four rows: word[r][c] holds columns 4 c … 4 c + 3 of row r.
struct BlockCodes {
  uint32_t word[kGroupRows][kWordsPerBlock];
};

void store_8bit(const BlockCodes& codes, BlockPlace at, uint32_t* out) {
  for (uint32_t r = 0; r < kGroupRows; ++r) {
    for (uint32_t half = 0; half < 2; ++half) {
      std::memcpy(out + 4 * at.vector(8, 2 * r + half), &codes.word[r][4 * half], 16);
    }
  }
}

void store_4bit(const BlockCodes& codes, BlockPlace at, uint32_t flip, uint32_t* out) {
  constexpr uint32_t kMask = 0x0f0f0f0fu;
  for (uint32_t pair = 0; pair < 2; ++pair) {
    for (uint32_t half = 0; half < 2; ++half) {
      uint32_t* vector = out + 4 * at.vector(4, 2 * pair + half);
      for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t low = codes.word[pair][4 * half + c], high = codes.word[pair + 2][4 * half + c];
        vector[c] = ((low & kMask) | (high & kMask) << 4) ^ flip;
      }
    }
  }
}

// Bits `shift` and `shift + 1` of every code.
void store_2bit(const BlockCodes& codes, uint32_t shift, BlockPlace at, uint32_t* out) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t* vector = out + 4 * at.vector(2, half);
    for (uint32_t r = 0; r < kGroupRows; ++r) {
      for (uint32_t c = 0; c < 4; ++c)
        vector[r] |= (codes.word[r][4 * half + c] >> shift & 0x03030303u) << (2 * c);
    }
  }
}

void store_1bit(const BlockCodes& codes, uint32_t shift, BlockPlace at, uint32_t* out) {
  uint32_t* vector = out + 4 * at.vector(1);
  for (uint32_t r = 0; r < kGroupRows; ++r) {
    for (uint32_t c = 0; c < kWordsPerBlock; ++c) vector[r] |= (codes.word[r][c] >> shift & 0x01010101u) << c;
  }
}

template <TensorType kType>
void store_codes(const BlockCodes& codes, BlockPlace at, const Sections& out) {
  constexpr FormatTraits kTraits = format_traits(kType);
  constexpr uint32_t kBase = base_bits(kTraits);
  if constexpr (kBase == 8) store_8bit(codes, at, out.codes);
  if constexpr (kBase == 4) store_4bit(codes, at, out.flip, out.codes);
  if constexpr (kBase == 2) store_2bit(codes, 0, at, out.codes);
  if constexpr (high_bits(kTraits) == 2) store_2bit(codes, kBase, at, out.high);
  if constexpr (high_bits(kTraits) == 1) store_1bit(codes, kBase, at, out.high);
}

// Lane r of four f16 values in two words. The value came from f16, so that is exact.
void store_half(float value, uint32_t r, uint32_t* words) {
  words[r / 2] |= static_cast<uint32_t>(f32_to_f16(value)) << (16 * (r % 2));
}

void store_byte(int value, uint32_t r, uint32_t& word) {
  word |= (static_cast<uint32_t>(value) & 0xffu) << (8 * r);
}

template <ScaleKind kKind>
void store_scales(const BlockScales& scales, uint32_t r, BlockPlace at, uint32_t* out, uint32_t* extra) {
  uint32_t* words = out + 2 * at.vector(1);
  if constexpr (kKind == ScaleKind::kPlain || kKind == ScaleKind::kAffine) {
    store_half(scales.scale, r, words);
    if constexpr (kKind == ScaleKind::kAffine) store_half(scales.minimum, r, extra + 2 * at.vector(1));
    return;
  }
  if constexpr (kKind == ScaleKind::kSuperAffine) {
    store_byte(scales.group_scale[0], r, words[0]);
    store_byte(scales.group_minimum[0], r, words[1]);
  } else {
    for (uint32_t half = 0; half < 2; ++half) {
      const int minimum = kKind == ScaleKind::kGroupedAffine ? scales.group_minimum[half] << 4 : 0;
      store_byte(scales.group_scale[half] | minimum, r, words[half]);
    }
  }
  if (at.lane % 8 != 0) return;  // once a super-block
  uint32_t* super = extra + 4 * (2 * size_t{at.step} + at.lane / 8);
  store_half(scales.scale, r, super);
  if constexpr (has_minimum(kKind)) store_half(scales.minimum, r, super + 2);
}

struct Rows {
  const uint8_t* first;
  uint64_t stride;
  uint32_t count;  // that exist, 1 to 4
};

template <TensorType kType>
void pack_quantised(const Rows& rows, uint32_t blocks, const Sections& out) {
  for (uint32_t b = 0; b < blocks; ++b) {
    const BlockPlace at = {b / kLaneCount, b % kLaneCount};
    BlockCodes codes = {};
    for (uint32_t r = 0; r < rows.count; ++r) {
      const uint8_t* row = rows.first + r * rows.stride;
      uint8_t bytes[kBlockElems];
      unpack_codes<kType>(row, b, bytes);
      std::memcpy(codes.word[r], bytes, sizeof bytes);
      store_scales<format_traits(kType).scales>(unpack_scales<kType>(row, b), r, at, out.scales, out.extra);
    }
    store_codes<kType>(codes, at, out);
  }
}

void pack_floats(TensorType type, const Rows& rows, uint32_t cols, uint8_t* out) {
  for (uint32_t r = 0; r < rows.count; ++r) {
    for (uint32_t k = 0; k < cols; ++k) {
      const float value = load_float(type, rows.first + r * rows.stride, k);
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      const size_t index = size_t{k} * kGroupRows + r;
      if (type == TensorType::kF32) {
        std::memcpy(out + 4 * index, &bits, 4);
      } else {
        const uint16_t half =
            type == TensorType::kF16 ? f32_to_f16(value) : static_cast<uint16_t>(bits >> 16);
        std::memcpy(out + 2 * index, &half, 2);
      }
    }
  }
}

}  // namespace

WeightLayout weight_layout(TensorType type, uint32_t rows, uint32_t cols) {
  WeightLayout layout = {};
  layout.groups = (rows + kGroupRows - 1) / kGroupRows;
  const FormatTraits* traits = find_format_traits(type);
  layout.units = traits ? cols / kBlockElems : cols;
  layout.steps = (layout.units + kLaneCount - 1) / kLaneCount;
  const uint32_t slots = layout.steps * kLaneCount;
  if (traits == nullptr) {
    layout.group_bytes[0] = slots * kGroupRows * (type == TensorType::kF32 ? 4 : 2);
    return layout;
  }
  layout.group_bytes[0] = slots * 16 * plane_words(base_bits(*traits));
  layout.group_bytes[1] = slots * 16 * plane_words(high_bits(*traits));
  layout.group_bytes[2] = slots * 8;
  if (traits->scales == ScaleKind::kAffine) layout.group_bytes[3] = slots * 8;
  if (blocks_per_super(traits->scales) > 1) layout.group_bytes[3] = layout.steps * 2 * 16;
  return layout;
}

void pack_group(const PlanWeight& weight, uint32_t group, uint32_t flip,
                const std::span<uint8_t> (&out)[kSections]) {
  const uint64_t stride = row_bytes(weight.type, weight.cols);
  const uint32_t first = group * kGroupRows;
  const Rows rows = {weight.bytes.data() + first * stride, stride, std::min(kGroupRows, weight.rows - first)};
  if (!is_quantised(weight.type)) return pack_floats(weight.type, rows, weight.cols, out[0].data());
  const auto words = [&](uint32_t section) { return reinterpret_cast<uint32_t*>(out[section].data()); };
  with_quantised_type(weight.type, [&]<TensorType kType>() {
    pack_quantised<kType>(rows, weight.cols / kBlockElems, {flip, words(0), words(1), words(2), words(3)});
  });
}

}  // namespace hb::vulkan
