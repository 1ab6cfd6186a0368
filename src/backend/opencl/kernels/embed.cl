#pragma OPENCL FP_CONTRACT OFF
// Rows of a quantised table: a work-item is a block of 32 columns of a row of the batch.
#include "backend/opencl/kernels/exact.clh"
#include "backend/opencl/kernels/batch.clh"
#include "backend/opencl/kernels/lanes.clh"
#include "backend/opencl/kernels/quantised.clh"

// The code of column 4 j + i of row r, the zero point subtracted.
int code_of(__global const uchar* record, uint r, uint j, uint i) {
  const uint half_index = r / 16, byte = 4 * (r % 16) + i;
#if BASE_BITS == 8
  return (char)record[64 * (8 * half_index + j) + byte];
#else
#if BASE_BITS == 4
  uint code = record[64 * j + byte] >> (4 * half_index) & 15u;
#else
  uint code = record[64 * (j / 2) + byte] >> (4 * half_index + 2 * (j % 2)) & 3u;
#endif
#if HIGH_BITS == 1
  code |= (record[HIGH_OFFSET + 64 * half_index + byte] >> j & 1u) << BASE_BITS;
#elif HIGH_BITS == 2
  code |= (record[HIGH_OFFSET + 64 * (2 * half_index + j / 4) + byte] >> (2 * (j % 4)) & 3u) << BASE_BITS;
#endif
#if CODEBOOK
  return kCodebook[code];
#else
  return (int)code - ZERO_POINT;
#endif
#endif
}

// Of a row: what quant/weight_block.h holds.
typedef struct {
  float scale;
  float minimum[2];
  int group_scale[2];
} RowScales;

void load_row_scales(__global const uchar* header, __global const uchar* scales, uint r, RowScales* s) {
  s->group_scale[0] = s->group_scale[1] = 1;
#if !HAS_SUPER
  s->scale = half_value(((__global const ushort*)scales)[r]);
#if HAS_MINIMUM
  s->minimum[0] = s->minimum[1] = half_value(((__global const ushort*)scales)[TILE_ROWS + r]);
#endif
#else
  s->scale = half_value(((__global const ushort*)header)[r]);
#if HAS_GROUPS
  for (uint h = 0; h < 2; ++h) s->group_scale[h] = (char)scales[h * TILE_ROWS + r];
#else
  s->scale = s->scale * (float)scales[r];
#endif
#if HAS_MINIMUM
  const float minimum = half_value(((__global const ushort*)header)[TILE_ROWS + r]);
  for (uint h = 0; h < 2; ++h) {
    const uint factor = HAS_GROUPS ? scales[(2 + h) * TILE_ROWS + r] : scales[TILE_ROWS + r];
    s->minimum[h] = minimum * (float)factor;
  }
#endif
#endif
}

__kernel void hb_embed(__global const uchar* tiles, __global const uint* batch, __global float* out, uint blocks,
                       uint first_token, uint tokens, float factor) {
  const uint b = get_global_id(0), row = get_global_id(1);
  const uint token = BATCH_TOKENS(batch)[row] - first_token;  // wraps for earlier ones
  if (token >= tokens) return;
  const uint header_bytes = (blocks + 7) / 8 * HEADER_BYTES, r = token % TILE_ROWS;
  __global const uchar* headers = tiles + (size_t)(token / TILE_ROWS) * (header_bytes + blocks * RECORD_BYTES);
  __global const uchar* record = headers + header_bytes + (lane_begin(b % 16, blocks) + b / 16) * RECORD_BYTES;
  RowScales s;
  load_row_scales(headers + b / 8 * HEADER_BYTES, record + SCALE_OFFSET, r, &s);
  for (uint k = 0; k < 32; ++k) {
    const float code = (float)(code_of(record, r, k / 4, k % 4) * s.group_scale[k / 16]);
    float value = code * s.scale;
#if HAS_MINIMUM
    value = value + s.minimum[k / 16];
#endif
    const float scaled = value * factor;
    out[(row * blocks + b) * 32 + k] = exact_settle(scaled);
  }
}
