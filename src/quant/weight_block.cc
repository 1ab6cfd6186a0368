#include "quant/weight_block.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/check.h"
#include "base/exact_math.h"
#include "quant/unpack.h"

namespace hb {
namespace {

using enum MinimumKind;

constexpr std::array kTraits = {
    FormatTraits{TensorType::kQ4_0, 4, 8, false, false, kNone},
    FormatTraits{TensorType::kQ4_1, 4, 0, false, false, kBlock},
    FormatTraits{TensorType::kQ5_0, 5, 16, false, false, kNone},
    FormatTraits{TensorType::kQ5_1, 5, 0, false, false, kBlock},
    FormatTraits{TensorType::kQ8_0, 8, 0, false, false, kNone},
    FormatTraits{TensorType::kQ2_K, 4, 0, false, true, kHalf},
    FormatTraits{TensorType::kQ3_K, 4, 4, false, true, kNone},
    FormatTraits{TensorType::kQ4_K, 4, 0, false, false, kBlock},
    FormatTraits{TensorType::kQ5_K, 5, 0, false, false, kBlock},
    FormatTraits{TensorType::kQ6_K, 6, 32, false, true, kNone},
    FormatTraits{TensorType::kIQ4_NL, 4, 0, true, false, kNone},
};

const FormatTraits* find_traits(TensorType type) {
  for (const FormatTraits& traits : kTraits) {
    if (traits.type == type) return &traits;
  }
  return nullptr;
}

// The reference keeps code and scale of Q4_K and Q5_K apart only in storage: the product of an f16 and a 6-bit
// integer is exact in float, so it becomes the block's scale; where the two halves differ, the factors stay integers.
void set_scales(const FormatTraits& traits, const BlockScales& scales, WeightBlock& block) {
  for (int h = 0; h < 2; ++h) {
    const float factor = static_cast<float>(scales.group_minimum[h]);
    block.minimum[h] = scales.minimum * factor;
    block.group_scale[h] = traits.group_scales ? scales.group_scale[h] : int16_t{1};
  }
  const float factor = traits.group_scales ? 1.0f : static_cast<float>(scales.group_scale[0]);
  block.scale = scales.scale * factor;
}

int8_t signed_code(const FormatTraits& traits, uint8_t code) {
  if (traits.codebook) return kIq4NlValues[code];
  return static_cast<int8_t>(static_cast<int8_t>(code) - traits.zero_point);
}

bool in_range(float value) { return std::fabs(value) <= 0x1p40f; }  // false for NaN and infinity

float raw_float(TensorType type, const uint8_t* row, uint32_t element) {
  if (type == TensorType::kF32) {
    float value;
    std::memcpy(&value, row + 4 * size_t{element}, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, row + 2 * size_t{element}, 2);
  return type == TensorType::kF16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

Status check_float_row(TensorType type, const uint8_t* row, uint32_t cols) {
  for (uint32_t i = 0; i < cols; ++i) {
    const float value = raw_float(type, row, i);
    if (in_range(value)) continue;
    return fail(ErrorCode::kBadFile, fmt::format("element {} is {}; weights must be finite and below 2^40", i, value));
  }
  return {};
}

template <TensorType kType>
Status check_quantised_row(const uint8_t* row, uint32_t cols) {
  for (uint32_t b = 0; b < cols / kBlockElems; ++b) {
    const BlockScales scales = unpack_scales<kType>(row, b);
    if (in_range(scales.scale) && in_range(scales.minimum)) continue;
    return fail(ErrorCode::kBadFile, fmt::format("block {} has scale {} and minimum {}; both must be finite", b,
                                                 scales.scale, scales.minimum));
  }
  return {};
}

}  // namespace

bool is_quantised(TensorType type) { return find_traits(type) != nullptr; }

const FormatTraits& format_traits(TensorType type) {
  const FormatTraits* traits = find_traits(type);
  HB_CHECK(traits != nullptr);
  return *traits;
}

WeightBlock decode_block(TensorType type, const uint8_t* row, uint32_t index) {
  const FormatTraits& traits = format_traits(type);
  WeightBlock block;
  uint8_t codes[kBlockElems];
  with_quantised_type(type, [&]<TensorType kType>() {
    unpack_codes<kType>(row, index, codes);
    set_scales(traits, unpack_scales<kType>(row, index), block);
  });
  for (uint32_t i = 0; i < kBlockElems; ++i) block.codes[i] = signed_code(traits, codes[i]);
  return block;
}

float block_product(const WeightBlock& weights, MinimumKind minimum, const ActivationBlock& activations) {
  int32_t isum = 0;
  for (uint32_t i = 0; i < kBlockElems; ++i) {
    isum += weights.group_scale[i / 16] * weights.codes[i] * activations.codes[i];
  }
  const float scale = weights.scale * activations.scale;
  float term = static_cast<float>(isum) * scale;
  if (minimum == kBlock) {
    const float offset = weights.minimum[0] * activations.weighted_sum;
    term = term + offset;
  } else if (minimum == kHalf) {
    for (int h = 0; h < 2; ++h) {
      const float offset = weights.minimum[h] * half_weighted_sum(activations, h);
      term = term + offset;
    }
  }
  return term;
}

float block_value(const WeightBlock& weights, MinimumKind minimum, uint32_t element) {
  const uint32_t half = element / 16;
  const float code = static_cast<float>(weights.codes[element] * weights.group_scale[half]);
  const float value = code * weights.scale;
  if (minimum == kNone) return value;
  return value + weights.minimum[minimum == kHalf ? half : 0];
}

Status check_row(TensorType type, const uint8_t* row, uint32_t cols) {
  if (!is_quantised(type)) return check_float_row(type, row, cols);
  return with_quantised_type(type, [&]<TensorType kType>() { return check_quantised_row<kType>(row, cols); });
}

float load_float(TensorType type, const uint8_t* row, uint32_t element) {
  const float value = raw_float(type, row, element);
  const uint32_t magnitude = exact::bits_of(value) & 0x7fffffffu;
  return magnitude < exact::bits_of(0x1p-51f) ? 0.0f : value;
}

}  // namespace hb
