#pragma OPENCL FP_CONTRACT OFF
#include "backend/opencl/kernels/exact.clh"

__kernel void hb_scale(__global float* values, uint width, float factor) {
  const uint i = get_global_id(0);
  if (i >= width) return;
  const size_t at = get_global_id(1) * (size_t)width + i;
  const float result = values[at] * factor;
  values[at] = exact_settle(result);
}
