#include "quant/weight_block.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/exact_math.h"
#include "quant/unpack.h"

namespace hb {
namespace {

// The reference keeps code and scale of Q4_K and Q5_K apart only in storage: the product of an f16 and a
// 6-bit integer is exact in float, so it becomes the block's scale; where the two halves differ, the factors
// stay integers.
void set_scales(const FormatTraits& traits, const BlockScales& scales, WeightBlock& block) {
  for (int h = 0; h < 2; ++h) {
    const float factor = static_cast<float>(scales.group_minimum[h]);
    block.minimum[h] = scales.minimum * factor;
    block.group_scale[h] = has_group_scales(traits.scales) ? scales.group_scale[h] : int16_t{1};
  }
  const float factor = has_group_scales(traits.scales) ? 1.0f : static_cast<float>(scales.group_scale[0]);
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
    return fail(ErrorCode::kBadFile,
                fmt::format("element {} is {}; weights must be finite and below 2^40", i, value));
  }
  return {};
}

template <TensorType kType>
Status check_quantised_row(const uint8_t* row, uint32_t cols) {
  for (uint32_t b = 0; b < cols / kBlockElems; ++b) {
    const BlockScales scales = unpack_scales<kType>(row, b);
    if (in_range(scales.scale) && in_range(scales.minimum)) continue;
    return fail(ErrorCode::kBadFile, fmt::format("block {} has scale {} and minimum {}; both must be finite",
                                                 b, scales.scale, scales.minimum));
  }
  return {};
}

}  // namespace

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

float block_product(const WeightBlock& weights, ScaleKind kind, const ActivationBlock& activations) {
  int32_t isum = 0;
  for (uint32_t i = 0; i < kBlockElems; ++i) {
    isum += weights.group_scale[i / 16] * weights.codes[i] * activations.codes[i];
  }
  const float scale = weights.scale * activations.scale;
  float term = static_cast<float>(isum) * scale;
  if (kind == ScaleKind::kAffine || kind == ScaleKind::kSuperAffine) {
    const float offset = weights.minimum[0] * activations.weighted_sum;
    term = term + offset;
  } else if (kind == ScaleKind::kGroupedAffine) {
    for (int h = 0; h < 2; ++h) {
      const float offset = weights.minimum[h] * half_weighted_sum(activations, h);
      term = term + offset;
    }
  }
  return term;
}

float block_value(const WeightBlock& weights, ScaleKind kind, uint32_t element) {
  const uint32_t half = element / 16;
  const float code = static_cast<float>(weights.codes[element] * weights.group_scale[half]);
  const float value = code * weights.scale;
  return has_minimum(kind) ? value + weights.minimum[half] : value;
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
