#pragma OPENCL FP_CONTRACT OFF
// Attention of one head of one row (docs/numerics.md, section 7): a work-item. Its scores lie in global memory.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/batch.clh"
#include "backend/opencl/kernels/lanes.clh"

#define SPAN 256u

float16 load_halves(__global const ushort* from, uint count) {
  if (count >= 16) return half_values16(from);
  float values[16];
  for (uint i = 0; i < 16; ++i) values[i] = i < count ? half_value(from[i]) : 0.0f;
  return vload16(0, values);
}

float dot_product(__global const float* query, __global const ushort* key, uint head_dim) {
  float16 lanes = (float16)(0.0f);
  for (uint d = 0; d < head_dim; d += 16) {
    const float16 product = load_up_to_16(query + d, head_dim - d) * load_halves(key + d, head_dim - d);
    lanes = lanes + product;
  }
  return join_lanes(lanes);
}

float soften(float score, float softcap) {
  const float inverse = exact_rcp(softcap);
  const float argument = score * inverse;
  const float bounded = exact_tanh(argument);
  const float result = softcap * bounded;
  return result;
}

// Scores of positions first to last become weights, by chunks of sixteen positions: outside they are 0.
float16 weights_at(__global float* scores, uint t, uint first, uint last, float maximum) {
  const int16 position = (int)t + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const float16 x = vload16(0, scores + t) - maximum;
  const float16 power = exact16_exp(x);
  const int16 counts = (position >= (int)first) & (position <= (int)last) & (x >= -34.0f);
  const float16 weight = counts ? power : (float16)(0.0f);
  vstore16(weight, 0, scores + t);
  return weight;
}

float sum_weights(__global float* scores, uint first, uint last, float maximum) {
  float sum = 0.0f;
  for (uint span = first / SPAN * SPAN; span <= last; span += SPAN) {
    float16 lanes = (float16)(0.0f);
    for (uint t = span; t < span + SPAN && t <= last; t += 16) {
      const float16 weight = weights_at(scores, t, first, last, maximum);
      lanes = lanes + weight;
    }
    sum = sum + join_lanes(lanes);
  }
  return sum;
}

// One span's weighted sum of sixteen elements of the values.
float16 span_values(__global const float* weights, __global const ushort* values, uint stride, uint span, uint last,
                    uint count) {
  float16 waiting[5];
  for (uint visit = 0; visit < 16; ++visit) {
    const uint begin = span + 16 * lane_of_visit(visit);
    float16 lane = (float16)(0.0f);
    for (uint t = begin; t < begin + 16 && t <= last; ++t) {
      const float16 product = load_halves(values + (size_t)t * stride, count) * weights[t];
      lane = lane + product;
    }
    uint level = 0;
    for (; visit >> level & 1u; ++level) lane = waiting[level] + lane;
    waiting[level] = lane;
  }
  return waiting[4];
}

__kernel void hb_attention(__global const uint* batch, __global const float* query, __global const ushort* keys,
                           __global const ushort* values, __global float* scratch, __global float* out, uint heads,
                           uint kv_heads, uint head_dim, uint score_stride, uint first_row, uint window, float scale,
                           float softcap) {
  const uint head = get_global_id(0), row = first_row + get_global_id(1);
  const uint last = BATCH_POSITION(batch) + row;
  const uint first = window == 0 || last < window ? 0 : last - window + 1;
  const uint stride = kv_heads * head_dim, kv_offset = head / (heads / kv_heads) * head_dim;
  __global const float* q = query + (row * heads + head) * head_dim;
  __global float* scores = scratch + (get_global_id(1) * heads + head) * (size_t)score_stride;
  float maximum = -3.0e38f;
  for (uint t = first; t <= last; ++t) {
    const float product = dot_product(q, keys + (size_t)t * stride + kv_offset, head_dim);
    float score = product * scale;
    if (softcap != 0.0f) score = soften(score, softcap);
    scores[t] = score;
    maximum = score > maximum ? score : maximum;
  }
  const float sum = sum_weights(scores, first, last, maximum);
  const float inverse = exact_rcp(sum);
  for (uint d = 0; d < head_dim; d += 16) {
    float16 total = (float16)(0.0f);
    for (uint span = first / SPAN * SPAN; span <= last; span += SPAN)
      total = total + span_values(scores, values + kv_offset + d, stride, span, last, head_dim - d);
    const float16 result = total * inverse;
    store_up_to_16(exact16_settle(result), out + (row * heads + head) * head_dim + d, head_dim - d);
  }
}
