// A matrix of codes of more than four bits (Q8_0, Q5_0, Q6_K) times COLUMNS rows of Q8 activations, with one dot product
// for four codes. What lies in the 4-bit plane is summed as in matvec_4bit.comp, and the bits above it on their own.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require
#include "backend/vulkan/shaders/weights.glsl"
#include "backend/vulkan/shaders/activations.glsl"
#include "backend/vulkan/shaders/packed_sums.glsl"
#include "backend/vulkan/shaders/matvec.glsl"

#if BASE_BITS + HIGH_BITS <= 4 || HAS_MINIMUM
#error "matvec_wide.comp reads Q8_0, Q5_0 and Q6_K"
#endif

// A half of a block, as it is stored for four rows.
#if BASE_BITS == 8
const uint kStepVectors = 128u;  // of codes, for sixteen blocks
struct HalfCodes {
  uvec4 rows[4];
};
#else
const uint kStepVectors = 64u;
struct HalfCodes {
  uvec4 first, second;  // rows 0 and 2, rows 1 and 3
  uvec4 high;           // of the rows: the lowest bits of each byte belong to the half's first four columns
};
#endif

HalfCodes load_half(BlockAt at, uint codes, uint h) {
  HalfCodes half_codes;
#if BASE_BITS == 8
  [[unroll]] for (uint r = 0u; r < 4u; ++r) half_codes.rows[r] = codes_at(codes + (2u * r + h) * 16u);
#else
  half_codes.first = codes_at(codes + 16u * h);
  half_codes.second = codes_at(codes + 16u * h + 32u);
#if HIGH_BITS == 1
  half_codes.high = high_at(at.slot) >> (4u * h);
#else
  half_codes.high = high_at((at.plane * 2u + h) * 16u + at.lane);
#endif
#endif
  return half_codes;
}

// Sums of (code - zero point) x activation code over a half, for each row; `sum`: of the activations' codes.
ivec4 half_sums(HalfCodes half_codes, uvec4 x, int sum) {
#if BASE_BITS == 8
  // Mixed products take the codes as unsigned: 128 more each.
#if defined(DOT_MIXED)
  ivec4 sums = ivec4(-128 * sum);
  const uint flip = kHighBits;
#else
  ivec4 sums = ivec4(0);
  const uint flip = 0u;
#endif
  [[unroll]] for (uint r = 0u; r < 4u; ++r) {
    [[unroll]] for (uint c = 0u; c < 4u; ++c) sums[r] += dot4(half_codes.rows[r][c] ^ flip, x[c]);
  }
  return sums;
#else
  int low = -ZERO_POINT * sum;
#if defined(DOT_MIXED)
  RowSums sums = start_sums(low, 17 * low);
#else
  RowSums sums = start_sums(low, 17 * low + 128 * sum);
#endif
  add_half(sums, half_codes.first, half_codes.second, x);
  const uint mask = HIGH_BITS == 1 ? 0x01010101u : 0x03030303u;
  ivec4 high = ivec4(0);
  [[unroll]] for (uint c = 0u; c < 4u; ++c) {
    uvec4 bits = (half_codes.high >> (uint(HIGH_BITS) * c)) & mask;
    [[unroll]] for (uint r = 0u; r < 4u; ++r) high[r] += dot4(bits[r], x[c]);
  }
  return ivec4(sums.low, (sums.both - sums.low) >> 4) + (high << 4);
#endif
}

void main() {
  uint lane = lane_index();
  uint group = min(wanted_group(), groups - 1u);
  BlockAt at = BlockAt(group * steps * 16u + lane, group * steps, lane, group * steps * 2u + lane / 8u);
  uint codes = group * steps * kStepVectors + lane;
  uint first_activation = first_column() * blocks;
  vec4 sums[COLUMNS];
  for (uint c = 0u; c < COLUMNS; ++c) sums[c] = vec4(0.0);
  for (uint b = lane; b < blocks; b += 16u) {
    Scales4 s = load_scales(at);
    uvec4 meta[COLUMNS];
    ivec4 isum[COLUMNS];
    [[unroll]] for (uint c = 0u; c < COLUMNS; ++c) {
      meta[c] = activation_meta_at(2u * (first_activation + c * blocks + b));
      isum[c] = ivec4(0);
    }
    [[unroll]] for (uint h = 0u; h < 2u; ++h) {
      HalfCodes half_codes = load_half(at, codes, h);
      [[unroll]] for (uint c = 0u; c < COLUMNS; ++c) {
        uvec4 x = activation_codes_at(2u * (first_activation + c * blocks + b) + h);
        ivec4 part = half_sums(half_codes, x, int(meta[c][2u + h]));
#if HAS_GROUPS
        part *= s.group_scale[h];
#endif
        isum[c] += part;
      }
    }
    for (uint c = 0u; c < COLUMNS; ++c) {
      precise vec4 scale = s.scale * uintBitsToFloat(meta[c].x);
      precise vec4 term = vec4(isum[c]) * scale;
      precise vec4 sum = sums[c] + term;
      sums[c] = sum;
    }
    codes += kStepVectors;
    at.slot += 16u;
    at.plane += 1u;
    at.super_block += 2u;
  }
  join_and_finish(sums);
}
