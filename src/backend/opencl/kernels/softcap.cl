#pragma OPENCL FP_CONTRACT OFF
#include "backend/opencl/kernels/exact.clh"

__kernel void hb_softcap(__global float* values, uint width, float cap) {
  const uint i = get_global_id(0);
  if (i >= width) return;
  const size_t at = get_global_id(1) * (size_t)width + i;
  const float inverse = exact_rcp(cap);
  const float argument = values[at] * inverse;
  const float bounded = exact_tanh(argument);
  const float result = cap * bounded;
  values[at] = exact_settle(result);
}
