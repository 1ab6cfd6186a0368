#pragma OPENCL FP_CONTRACT OFF
// Rows of an F32, F16 or BF16 table: a work-item is an element.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/batch.clh"
#include "backend/opencl/kernels/lanes.clh"
#include "backend/opencl/kernels/float_weights.clh"

__kernel void hb_embed(__global const ELEMENT* tiles, __global const uint* batch, __global float* out, uint cols,
                       uint first_token, uint tokens, float factor) {
  const uint k = get_global_id(0), row = get_global_id(1);
  const uint token = BATCH_TOKENS(batch)[row] - first_token;  // wraps for earlier ones
  if (token >= tokens) return;
  const size_t place = (size_t)(token / TILE_ROWS) * cols + lane_begin(k % 16, cols) + k / 16;
  const float scaled = weight_value(tiles[place * TILE_ROWS + token % TILE_ROWS]) * factor;
  out[row * cols + k] = exact_settle(scaled);
}
