#pragma OPENCL FP_CONTRACT OFF
// Quantised matrix times COLUMNS rows of Q8 activations: a work-item computes a tile of 32 rows. For devices whose
// work-items have wide vectors: CPUs.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/lanes.clh"
#include "backend/opencl/kernels/quantised.clh"
#include "backend/opencl/kernels/tile_codes.clh"
#include "backend/opencl/kernels/tile_dot.clh"
#include "backend/opencl/kernels/tile_scales.clh"
#include "backend/opencl/kernels/tile_sums.clh"
#include "backend/opencl/kernels/epilogue.clh"

int16 products(const uint16* words, const TileScales* s, __global const uint* x, int4 meta) {
#if HAS_GROUPS
  const int16 first = dot_words((int16)(-ZERO_POINT * meta.z), words, x, 4);
  const int16 last = dot_words((int16)(-ZERO_POINT * meta.w), words + 4, x + 4, 4);
  return first * s->group_scale[0] + last * s->group_scale[1];
#else
  return dot_words((int16)(-ZERO_POINT * (meta.z + meta.w)), words, x, 8);
#endif
}

void add_block(__global const uchar* header, __global const uchar* record, __global const uint* x,
               __global const int4* meta, uint blocks, TileSums* sums) {
  TileCodes codes;
  load_codes(record, &codes);
  TileScales low, high;
  load_scales(header, record + SCALE_OFFSET, 0, &low);
  load_scales(header, record + SCALE_OFFSET, 16, &high);
#pragma unroll
  for (uint c = 0; c < COLUMNS; ++c) {
    const int4 m = meta[c * blocks];
    __global const uint* column = x + c * blocks * 8;
    const int16 product_low = products(codes.low, &low, column, m);
    const int16 product_high = products(codes.high, &high, column, m);
    sums->lane[c][0] = sums->lane[c][0] + block_term(product_low, &low, m);
    sums->lane[c][1] = sums->lane[c][1] + block_term(product_high, &high, m);
  }
}

__kernel void hb_matvec(__global const uchar* tiles, __global const uint* codes, __global const int4* meta,
                        __global const float* bias, __global const float* up, __global const float* residual,
                        __global float* out, uint blocks, uint first_row, uint rows, uint flags, float out_scale) {
  const uint header_bytes = (blocks + 7) / 8 * HEADER_BYTES;
  const uint tile = get_global_id(0), column = get_global_id(1) * COLUMNS;
  __global const uchar* headers = tiles + (size_t)tile * (header_bytes + blocks * RECORD_BYTES);
  __global const uchar* record = headers + header_bytes;
  TileSums sums;
  for (uint visit = 0; visit < 16; ++visit) {
    begin_lane(&sums);
    for (uint b = lane_of_visit(visit); b < blocks; b += 16, record += RECORD_BYTES) {
      const uint at = column * blocks + b;
      add_block(headers + b / 8 * HEADER_BYTES, record, codes + at * 8, meta + at, blocks, &sums);
    }
    end_lane(&sums, visit);
  }
  const Epilogue epilogue = {bias, up, residual, out, rows, flags, out_scale};
  finish_tile(&sums, first_row + tile * TILE_ROWS, column, &epilogue);
}
