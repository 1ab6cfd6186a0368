// Every quantised weight format as the numerics contract sees it: blocks of 32 weights.
//
// A weight is code * group_scale * scale + minimum, where group_scale is an integer of a half block (16
// weights) and minimum belongs to a half block. The product of a block with a block of activations
// (quant/activation.h) is
//   isum = sum over halves h of group_scale[h] * (sum of code * activation code), an exact integer below 2^24
//   term = float(isum) * (scale * activation scale)
//   term = term + minimum[0] * activation weighted_sum (all 32), or, where the halves differ (Q2_K),
//   term = term + minimum[h] * half weighted_sum[h] for h = 0, 1
// docs/numerics.md explains why; the formats' bytes are GGUF's and described in docs/formats.md.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "quant/activation.h"
#include "quant/format_traits.h"
#include "quant/tensor_type.h"

namespace hb {

struct WeightBlock {
  int8_t codes[32];        // zero point already subtracted
  int16_t group_scale[2];  // 1 where a format has none
  float scale;
  float minimum[2];  // one for the block: both the same; none: 0
};

// Decodes block `index` (of 32 weights) of the row of GGUF blocks at `row`.
WeightBlock decode_block(TensorType type, const uint8_t* row, uint32_t index);

// The contract's product of two blocks.
float block_product(const WeightBlock& weights, ScaleKind kind, const ActivationBlock& activations);

// The weight's real value in the contract's arithmetic: float(code * group_scale) * scale [+ minimum].
float block_value(const WeightBlock& weights, ScaleKind kind, uint32_t element);

// Checks a row of `cols` weights against the contract's ranges: every scale and minimum finite; F32 and BF16
// values finite and below 2^40 in magnitude. ERRORS: kBadFile, naming the block or element.
Status check_row(TensorType type, const uint8_t* row, uint32_t cols);

// An element of an F32, F16 or BF16 row, with magnitudes below 2^-51 and negative zeros as +0.
float load_float(TensorType type, const uint8_t* row, uint32_t element);

}  // namespace hb
