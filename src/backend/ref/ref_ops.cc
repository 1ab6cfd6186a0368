#include "backend/ref/ref_ops.h"

#include "backend/ref/lanes.h"
#include "base/exact_math.h"

namespace hb::ref {
namespace {

using exact::settle;

const uint8_t* row_at(const PlanWeight& weight, uint32_t row) {
  return weight.bytes.data() + row * row_bytes(weight.type, weight.cols);
}

void rotate(float cos, float sin, float& a, float& b) {
  const float a_cos = a * cos, b_sin = b * sin;
  const float a_sin = a * sin, b_cos = b * cos;
  a = settle(a_cos - b_sin);
  b = settle(a_sin + b_cos);
}

}  // namespace

float vector_element(const PlanWeight& weight, uint32_t index) {
  return load_float(weight.type, weight.bytes.data(), index);
}

void embed_row(const PlanWeight& table, uint32_t token, float scale, std::span<float> out) {
  const uint8_t* row = row_at(table, token);
  if (!is_quantised(table.type)) {
    for (uint32_t i = 0; i < out.size(); ++i) out[i] = settle(load_float(table.type, row, i) * scale);
    return;
  }
  const ScaleKind kind = format_traits(table.type).scales;
  for (uint32_t i = 0; i < out.size(); ++i) {
    const WeightBlock block = decode_block(table.type, row, i / kBlockElems);
    out[i] = settle(block_value(block, kind, i % kBlockElems) * scale);
  }
}

void rms_norm_row(const RmsNormOp& op, const PlanWeight& weight, std::span<const float> in,
                  const float* residual, std::span<float> out) {
  for (uint32_t begin = 0; begin < in.size(); begin += op.group) {
    const float* x = in.data() + begin;
    const float sum = sum_by_element(op.group, [x](uint32_t i) { return x[i] * x[i]; });
    const float mean = sum * exact::rcp(static_cast<float>(op.group));
    const float factor = exact::rsqrt(mean + op.epsilon);
    for (uint32_t i = 0; i < op.group; ++i) {
      const float normal = x[i] * factor;
      const float y = normal * vector_element(weight, i);
      out[begin + i] = settle(residual == nullptr ? y : residual[begin + i] + y);
    }
  }
}

void quantise_row(std::span<const float> in, std::span<ActivationBlock> out) {
  for (size_t b = 0; b < out.size(); ++b) out[b] = quantise_block(in.data() + b * kBlockElems);
}

float dot_quantised(std::span<const WeightBlock> weights, ScaleKind kind, const ActivationBlock* in) {
  return sum_by_element(static_cast<uint32_t>(weights.size()),
                        [&](uint32_t b) { return block_product(weights[b], kind, in[b]); });
}

float dot_float(const PlanWeight& weight, uint32_t row, std::span<const float> in) {
  const uint8_t* bytes = row_at(weight, row);
  return sum_by_element(weight.cols, [&](uint32_t i) { return load_float(weight.type, bytes, i) * in[i]; });
}

float finish(const Epilogue& epilogue, float product, float up) {
  float y = product + epilogue.bias;
  if (epilogue.gate == MatvecOp::Gate::kSilu) y = exact::silu(y) * up;
  if (epilogue.gate == MatvecOp::Gate::kGelu) y = exact::gelu(y) * up;
  const float scaled = y * epilogue.out_scale;
  return settle(epilogue.residual + scaled);
}

void rope_row(const RopeOp& op, std::span<const float> cos, std::span<const float> sin,
              std::span<float> row) {
  const uint32_t pairs = static_cast<uint32_t>(cos.size());
  const bool adjacent = op.pairing == RopeOp::Pairing::kAdjacent;
  for (uint32_t head = 0; head < op.heads; ++head) {
    float* x = row.data() + head * op.head_dim;
    for (uint32_t i = 0; i < pairs; ++i) {
      if (adjacent) {
        rotate(cos[i], sin[i], x[2 * i], x[2 * i + 1]);
      } else {
        rotate(cos[i], sin[i], x[i], x[i + pairs]);
      }
    }
  }
}

void softcap_row(float cap, std::span<float> row) {
  const float inverse = exact::rcp(cap);
  for (float& x : row) {
    const float bounded = exact::tanh(x * inverse);
    x = settle(cap * bounded);
  }
}

void scale_row(float scale, std::span<float> row) {
  for (float& x : row) x = settle(x * scale);
}

}  // namespace hb::ref
