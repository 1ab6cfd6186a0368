#pragma OPENCL FP_CONTRACT OFF
// K and V rows to f16: a work-item is an element of a row.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/batch.clh"

__kernel void hb_cache_write(__global const uint* batch, __global const float* key, __global const float* value,
                             __global ushort* keys, __global ushort* values, uint width) {
  const uint i = get_global_id(0), row = get_global_id(1);
  if (i >= width) return;
  const size_t to = (size_t)(BATCH_POSITION(batch) + row) * width + i;
  keys[to] = (ushort)float_bits_to_half(as_uint(key[row * width + i]));
  values[to] = (ushort)float_bits_to_half(as_uint(value[row * width + i]));
}
