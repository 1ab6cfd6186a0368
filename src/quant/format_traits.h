// Facts about the quantised formats that the reference, the packers and the kernels of every backend share.
#pragma once

#include <cstdint>

#include "base/exact_math.h"
#include "quant/tensor_type.h"

namespace hb {

// How the scales of a block of 32 weights are stored, and what they mean.
enum class ScaleKind : uint8_t {
  kPlain,          // one f16 scale
  kAffine,         // f16 scale, f16 minimum
  kSuperAffine,    // 6-bit scale and minimum, times the f16 scale and minimum of a super-block of 256
  kGrouped,        // an integer scale for each 16 weights, times the f16 scale of the super-block
  kGroupedAffine,  // likewise, and an integer minimum for each 16 weights, times the super-block's f16
                   // minimum
};

struct FormatTraits {
  TensorType type;
  uint8_t code_bits;   // 2, 3, 4, 5, 6 or 8
  uint8_t zero_point;  // code = unsigned code - zero_point; 8-bit codes are signed as they stand
  bool codebook;       // IQ4_NL: code = kIq4NlValues[unsigned code]
  ScaleKind scales;
};

inline constexpr FormatTraits kFormatTraits[] = {
    {TensorType::kQ4_0, 4, 8, false, ScaleKind::kPlain},
    {TensorType::kQ4_1, 4, 0, false, ScaleKind::kAffine},
    {TensorType::kQ5_0, 5, 16, false, ScaleKind::kPlain},
    {TensorType::kQ5_1, 5, 0, false, ScaleKind::kAffine},
    {TensorType::kQ8_0, 8, 0, false, ScaleKind::kPlain},
    {TensorType::kIQ4_NL, 4, 0, true, ScaleKind::kPlain},
    {TensorType::kQ2_K, 2, 0, false, ScaleKind::kGroupedAffine},
    {TensorType::kQ3_K, 3, 4, false, ScaleKind::kGrouped},
    {TensorType::kQ4_K, 4, 0, false, ScaleKind::kSuperAffine},
    {TensorType::kQ5_K, 5, 0, false, ScaleKind::kSuperAffine},
    {TensorType::kQ6_K, 6, 32, false, ScaleKind::kGrouped},
};

inline constexpr int8_t kIq4NlValues[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};

// Null for F32, F16 and BF16.
HB_ALWAYS_INLINE constexpr const FormatTraits* find_format_traits(TensorType type) {
  for (const FormatTraits& traits : kFormatTraits) {
    if (traits.type == type) return &traits;
  }
  return nullptr;
}

HB_ALWAYS_INLINE constexpr bool is_quantised(TensorType type) { return find_format_traits(type) != nullptr; }

// Blocks of 32 that share one f16 scale: 8 where there are super-blocks.
HB_ALWAYS_INLINE constexpr uint32_t blocks_per_super(ScaleKind kind) {
  return kind == ScaleKind::kPlain || kind == ScaleKind::kAffine ? 1 : 8;
}
HB_ALWAYS_INLINE constexpr bool has_group_scales(ScaleKind kind) {
  return kind == ScaleKind::kGrouped || kind == ScaleKind::kGroupedAffine;
}
HB_ALWAYS_INLINE constexpr bool has_minimum(ScaleKind kind) {
  return kind != ScaleKind::kPlain && kind != ScaleKind::kGrouped;
}

// REQUIRES: `type` is quantised.
HB_ALWAYS_INLINE constexpr const FormatTraits& format_traits(TensorType type) {
  return *find_format_traits(type);
}

}  // namespace hb
