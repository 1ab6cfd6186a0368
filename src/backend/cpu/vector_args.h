// What the element-wise kernels work on.
#pragma once

#include <cstdint>

#include "backend/cpu/matvec_args.h"
#include "plan/plan.h"

namespace hb::cpu {

// The epilogue of a matvec (plan.h) for `count` rows (up to 32) of one column. Pointers that do not apply are
// null.
struct FinishArgs {
  const float* product;   // 32 floats
  const float* up;        // 32 floats, of a gated matvec
  const float* bias;      // count floats
  const float* residual;  // count floats; may be out
  float* out;             // count floats
  uint32_t count;
  MatvecOp::Gate gate;
  float out_scale;
};

// One row of a norm, or one head of it; `weight` and `residual` (null: none) have `count` elements.
struct NormArgs {
  const float* in;
  const float* weight;
  const float* residual;
  float* out;
  uint32_t count;
  float epsilon;
};

// One head's first 2 * pairs elements.
struct RopeArgs {
  float* head;
  const float* cos;
  const float* sin;
  uint32_t pairs;
  bool adjacent;
};

// Row `column` of a panel of `width` columns (matvec_args.h).
struct QuantiseArgs {
  const float* row;
  uint32_t count;
  uint32_t column;
  uint32_t width;
  int8_t* codes;
  BlockMeta* meta;
};

}  // namespace hb::cpu
