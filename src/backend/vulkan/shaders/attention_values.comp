// The softmax weights of one span, their sum, and the weighted values, for one head of one row. An invocation has an
// element d of the values and all sixteen lanes of its sum.
#version 450
#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/attention.glsl"
#include "backend/vulkan/shaders/lane_array.glsl"

layout(local_size_x = 64) in;
layout(binding = 1) readonly buffer Scores { float scores[]; };
layout(binding = 2) readonly buffer Maxima { float maxima[]; };
layout(binding = 3) readonly buffer Values { uint cache_values[]; };
layout(binding = 4) writeonly buffer Partial { float partial[]; };  // (rows, heads, spans, 1 + head_dim)

shared float weights[256];

float row_maximum(uint scratch, uint first_span, uint last_span) {
  float maximum = kNoScore;
  for (uint s = first_span; s <= last_span; ++s) {
    float other = maxima[scratch + s];
    maximum = other > maximum ? other : maximum;
  }
  return maximum;
}

float softmax_weight(float s, float maximum) {
  precise float difference = s - maximum;
  precise float weight = exact_exp(difference);
  return difference < -34.0 ? 0.0 : weight;
}

float weight_sum() {
  precise float lane[16];
  for (uint l = 0u; l < 16u; ++l) lane[l] = 0.0;
  for (uint t = 0u; t < kSpan; t += 16u) {
    for (uint l = 0u; l < 16u; ++l) lane[l] = lane[l] + weights[t + l];
  }
  return join_lane_array(lane);
}

// `count`: positions of the span that are in the cache.
float weighted_values(uint first_word, uint row_words, uint d, uint count) {
  precise float lane[16];
  for (uint l = 0u; l < 16u; ++l) {
    precise float sum = 0.0;
    uint end = min(count, 16u * l + 16u);
    for (uint t = 16u * l; t < end; ++t) {
      uint word = cache_values[first_word + t * row_words + d / 2u];
      uint half_bits = (d & 1u) == 0u ? word & 0xffffu : word >> 16;
      precise float product = weights[t] * uintBitsToFloat(half_to_float_bits(half_bits));
      sum = sum + product;
    }
    lane[l] = sum;
  }
  return join_lane_array(lane);
}

void main() {
  uint at = gl_LocalInvocationIndex;
  uint span = gl_WorkGroupID.x, head = gl_WorkGroupID.y, row = gl_WorkGroupID.z;
  uint last = position_of(row), first = first_visible(last);
  bool visible = span >= first / kSpan && span <= last / kSpan;
  uint scratch = scratch_span(row, head, span);
  float maximum = row_maximum(scratch_span(row, head, 0u), first / kSpan, last / kSpan);
  for (uint i = at; i < kSpan; i += 64u) {
    uint t = span * kSpan + i;
    bool counts = t >= first && t <= last;
    weights[i] = counts ? softmax_weight(scores[scratch * kSpan + i], maximum) : 0.0;
  }
  barrier();
  if (visible) {
    uint to = scratch * (head_dim + 1u);
    if (at == 0u) partial[to] = weight_sum();
    uint count = min(last + 1u - span * kSpan, kSpan);
    for (uint d = at; d < head_dim; d += 64u) {
      partial[to + 1u + d] = weighted_values(cache_word(span * kSpan, head), kv_heads * head_words, d, count);
    }
  }
}
