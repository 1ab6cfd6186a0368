// The definition of every op on one row of its buffers, in scalar code: what docs/numerics.md says, and no
// more. `in`, `residual` and `out` may be the same row. REQUIRES everywhere: a plan that validate() accepts.
#pragma once

#include <cstdint>
#include <span>

#include "plan/plan.h"
#include "quant/activation.h"
#include "quant/weight_block.h"

namespace hb::ref {

// Element `index` of a weight of one row (a norm's weight, a bias).
float vector_element(const PlanWeight& weight, uint32_t index);

void embed_row(const PlanWeight& table, uint32_t token, float scale, std::span<float> out);

// `residual`: nullptr or a row as wide as the others.
void rms_norm_row(const RmsNormOp& op, const PlanWeight& weight, std::span<const float> in,
                  const float* residual, std::span<float> out);

void quantise_row(std::span<const float> in, std::span<ActivationBlock> out);

// The product of a row of weights (its decoded blocks) with a row of as many activation blocks.
float dot_quantised(std::span<const WeightBlock> weights, ScaleKind kind, const ActivationBlock* in);

// The product of a row of F32, F16 or BF16 weights with a row of floats.
float dot_float(const PlanWeight& weight, uint32_t row, std::span<const float> in);

// What a matvec does with one element's product; `up` counts where the op is gated.
struct Epilogue {
  MatvecOp::Gate gate;
  float bias;  // 0 for none
  float out_scale;
  float residual;  // 0 for none
};
float finish(const Epilogue& epilogue, float product, float up);

// `cos` and `sin`: the table's row of the token's position, one element a pair.
void rope_row(const RopeOp& op, std::span<const float> cos, std::span<const float> sin, std::span<float> row);

void softcap_row(float cap, std::span<float> row);
void scale_row(float scale, std::span<float> row);

}  // namespace hb::ref
