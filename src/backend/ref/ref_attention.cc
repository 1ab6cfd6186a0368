#include "backend/ref/ref_attention.h"

#include <vector>

#include "backend/ref/lanes.h"
#include "base/exact_math.h"
#include "base/half.h"

namespace hb::ref {
namespace {

float score(const AttentionOp& op, std::span<const float> query, const uint16_t* key) {
  const float dot = sum_by_element(op.head_dim, [&](uint32_t d) { return query[d] * f16_to_f32(key[d]); });
  const float scaled = dot * op.scale;
  if (op.softcap == 0.0f) return scaled;
  const float bounded = exact::tanh(scaled * exact::rcp(op.softcap));
  return op.softcap * bounded;
}

float softmax_weight(float score, float maximum) {
  const float difference = score - maximum;
  return difference < -34.0f ? 0.0f : exact::exp(difference);
}

}  // namespace

PositionRange visible_positions(uint32_t position, uint32_t window) {
  const bool all = window == 0 || position < window;
  return {all ? 0 : position - window + 1, position};
}

void attention_head(const AttentionOp& op, const HeadCache& cache, PositionRange range,
                    std::span<const float> query, std::span<float> out) {
  std::vector<float> weights;  // of positions first … last: scores, then softmax numerators
  for (uint32_t t = range.first; t <= range.last; ++t) {
    weights.push_back(score(op, query, cache.keys + size_t{t} * cache.stride));
  }
  float maximum = weights[0];
  for (const float s : weights) maximum = s > maximum ? s : maximum;
  for (float& w : weights) w = softmax_weight(w, maximum);

  const auto weight = [&](uint32_t t) { return weights[t - range.first]; };
  const float inverse = exact::rcp(sum_by_position(range.first, range.last, weight, lane_of_weight));
  for (uint32_t d = 0; d < op.head_dim; ++d) {
    const auto weighted = [&](uint32_t t) {
      return weight(t) * f16_to_f32(cache.values[size_t{t} * cache.stride + d]);
    };
    const float sum = sum_by_position(range.first, range.last, weighted, lane_of_value);
    out[d] = exact::settle(sum * inverse);
  }
}

}  // namespace hb::ref
