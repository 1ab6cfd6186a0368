#pragma OPENCL FP_CONTRACT OFF
// A copy of the batch's last rows.
#include "backend/opencl/kernels/batch.clh"

__kernel void hb_output_rows(__global const uint* batch, __global const uint* in, __global uint* out, uint width) {
  const uint i = get_global_id(0), row = get_global_id(1);
  const uint skipped = BATCH_ROWS(batch) - BATCH_OUTPUTS(batch);
  if (i < width) out[row * width + i] = in[(skipped + row) * width + i];
}
