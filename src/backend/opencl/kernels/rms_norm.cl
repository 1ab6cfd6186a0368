#pragma OPENCL FP_CONTRACT OFF
// A work-item is a group of a row.
#include "backend/opencl/kernels/exact.clh"

__kernel void hb_rms_norm(__global const float* in, __global const float* weight, __global const float* residual,
                          __global float* out, uint width, uint group, uint has_residual, float epsilon) {
  const size_t begin = get_global_id(1) * (size_t)width + get_global_id(0) * group;
  float16 lanes = (float16)(0.0f);
  for (uint i = 0; i < group; i += 16) {
    const float16 x = load_up_to_16(in + begin + i, group - i);
    const float16 square = x * x;
    lanes = lanes + square;
  }
  const float sum = join_lanes(lanes);
  const float inverse_count = exact_rcp((float)group);
  const float mean = sum * inverse_count;
  const float biased = mean + epsilon;
  const float factor = exact_rsqrt(biased);
  for (uint i = 0; i < group; i += 16) {
    const uint count = group - i;
    const float16 normal = load_up_to_16(in + begin + i, count) * factor;
    float16 y = normal * load_up_to_16(weight + i, count);
    if (has_residual) y = load_up_to_16(residual + begin + i, count) + y;
    store_up_to_16(exact16_settle(y), out + begin + i, count);
  }
}
