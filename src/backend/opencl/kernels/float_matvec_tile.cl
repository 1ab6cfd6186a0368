#pragma OPENCL FP_CONTRACT OFF
// F32, F16 or BF16 matrix times COLUMNS rows of floats: a work-item computes a tile of 32 rows.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/lanes.clh"
#include "backend/opencl/kernels/float_weights.clh"
#include "backend/opencl/kernels/tile_sums.clh"
#include "backend/opencl/kernels/epilogue.clh"

__kernel void hb_matvec(__global const ELEMENT* tiles, __global const float* in, __global const uint* unused,
                        __global const float* bias, __global const float* up, __global const float* residual,
                        __global float* out, uint cols, uint first_row, uint rows, uint flags, float out_scale) {
  const uint tile = get_global_id(0), column = get_global_id(1) * COLUMNS;
  __global const ELEMENT* w = tiles + (size_t)tile * cols * TILE_ROWS;
  TileSums sums;
  for (uint visit = 0; visit < 16; ++visit) {
    begin_lane(&sums);
    for (uint k = lane_of_visit(visit); k < cols; k += 16, w += TILE_ROWS) {
      const float16 low = weight_values16(w), high = weight_values16(w + 16);
#pragma unroll
      for (uint c = 0; c < COLUMNS; ++c) {
        const float x = in[(column + c) * cols + k];
        const float16 product_low = low * x, product_high = high * x;
        sums.lane[c][0] = sums.lane[c][0] + product_low;
        sums.lane[c][1] = sums.lane[c][1] + product_high;
      }
    }
    end_lane(&sums, visit);
  }
  const Epilogue epilogue = {bias, up, residual, out, rows, flags, out_scale};
  finish_tile(&sums, first_row + tile * TILE_ROWS, column, &epilogue);
}
