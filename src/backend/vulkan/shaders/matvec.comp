// Quantised matrix times COLUMNS rows of Q8 activations. Portable: no small storage types, no dot product, no subgroups.
#version 450
#include "backend/vulkan/shaders/weights.glsl"
#include "backend/vulkan/shaders/activations.glsl"
#include "backend/vulkan/shaders/matvec.glsl"

ivec4 signed_bytes(uint word) { return ivec4(int(word << 24) >> 24, int(word << 16) >> 24, int(word << 8) >> 24, int(word) >> 24); }

int dot4(ivec4 a, ivec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// The sums of half a block: code x activation code, for each row.
void add_half(BlockAt at, uint half_index, uint activation, uint row_blocks, inout ivec4 sums[COLUMNS]) {
  uvec4 x[COLUMNS];
  for (uint c = 0u; c < COLUMNS; ++c) x[c] = activation_codes_at((activation + c * row_blocks) * 2u + half_index);
  for (uint w = 0u; w < 4u; ++w) {
    uvec4 codes = load_codes(at, 4u * half_index + w);
    ivec4 row0 = code_values(codes.x), row1 = code_values(codes.y);
    ivec4 row2 = code_values(codes.z), row3 = code_values(codes.w);
    for (uint c = 0u; c < COLUMNS; ++c) {
      ivec4 a = signed_bytes(x[c][w]);
      sums[c] += ivec4(dot4(row0, a), dot4(row1, a), dot4(row2, a), dot4(row3, a));
    }
  }
}

vec4 block_product(Scales4 s, ivec4 isum, uvec4 meta) {
  precise vec4 scale = s.scale * uintBitsToFloat(meta.x);
  precise vec4 term = vec4(isum) * scale;
#if SCALES == SCALES_AFFINE || SCALES == SCALES_SUPER_AFFINE
  precise vec4 offset = s.minimum[0] * uintBitsToFloat(meta.y);
  term = term + offset;
#elif SCALES == SCALES_GROUPED_AFFINE
  for (uint h = 0u; h < 2u; ++h) {
    precise float weighted = uintBitsToFloat(meta.x) * float(int(meta[2u + h]));
    precise vec4 offset = s.minimum[h] * weighted;
    term = term + offset;
  }
#endif
  return term;
}

void main() {
  uint group = min(wanted_group(), groups - 1u);
  vec4 sums[COLUMNS];
  for (uint c = 0u; c < COLUMNS; ++c) sums[c] = vec4(0.0);
  for (uint b = lane_index(); b < blocks; b += 16u) {
    BlockAt at = block_at(group, steps, b);
    uint activation = first_column() * blocks + b;
    ivec4 half_sums[2][COLUMNS];
    for (uint h = 0u; h < 2u; ++h) {
      for (uint c = 0u; c < COLUMNS; ++c) half_sums[h][c] = ivec4(0);
      add_half(at, h, activation, blocks, half_sums[h]);
    }
    Scales4 s = load_scales(at);
    for (uint c = 0u; c < COLUMNS; ++c) {
      uvec4 meta = activation_meta_at((activation + c * blocks) * 2u);
      for (uint h = 0u; h < 2u; ++h) {
        half_sums[h][c] -= ZERO_POINT * int(meta[2u + h]);
#if HAS_GROUPS
        half_sums[h][c] *= s.group_scale[h];
#endif
      }
      precise vec4 sum = sums[c] + block_product(s, half_sums[0][c] + half_sums[1][c], meta);
      sums[c] = sum;
    }
  }
  join_and_finish(sums);
}
