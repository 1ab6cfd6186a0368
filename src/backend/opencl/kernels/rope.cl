#pragma OPENCL FP_CONTRACT OFF
// A work-item is a pair of a row.
#include "backend/opencl/kernels/exact.clh"

__kernel void hb_rope(__global float* values, __global const float2* angles, uint width, uint head_dim, uint pairs,
                      uint total, uint adjacent) {
  const uint i = get_global_id(0), row = get_global_id(1);
  if (i >= total) return;
  const uint pair = i % pairs;
  const uint head = row * width + i / pairs * head_dim;
  const uint first = head + (adjacent ? 2 * pair : pair);
  const uint second = head + (adjacent ? 2 * pair + 1 : pair + pairs);
  const float2 angle = angles[row * pairs + pair];
  const float a = values[first], b = values[second];
  const float a_cos = a * angle.x, b_sin = b * angle.y;
  const float a_sin = a * angle.y, b_cos = b * angle.x;
  const float rotated_a = a_cos - b_sin;
  const float rotated_b = a_sin + b_cos;
  values[first] = exact_settle(rotated_a);
  values[second] = exact_settle(rotated_b);
}
