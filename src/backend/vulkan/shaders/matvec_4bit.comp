// A matrix of 4-bit codes in blocks of 32 times COLUMNS rows of Q8 activations: 16-byte loads, neighbours read
// neighbours, and one dot product for four codes (packed_sums.glsl; docs/decisions/0010-phone-shaders.md).
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_spirv_intrinsics : require
#include "backend/vulkan/shaders/weights.glsl"
#include "backend/vulkan/shaders/activations.glsl"
#include "backend/vulkan/shaders/packed_sums.glsl"
#include "backend/vulkan/shaders/matvec.glsl"

#if BASE_BITS != 4 || HIGH_BITS != 0 || CODEBOOK || HAS_GROUPS
#error "matvec_4bit.comp reads Q4_0, Q4_1 and Q4_K"
#endif

// Copies of a loop that spirv-opt unrolls lose NoContraction, so loops with float arithmetic are left to the driver.
#if defined(DOT_FLOAT)
#define UNROLL
#else
#define UNROLL [[unroll]]
#endif

// The second vector of a block's meta holds what Q4_0 starts from.
const uint kMetaVector = ZERO_POINT == 8 ? 1u : 0u;

RowSums start_from(uvec4 meta) {
#if ZERO_POINT == 8
  int low = int(meta.z), both = int(meta.w);
#if defined(DOT_SIGNED)
  return start_sums(low, low);
#elif defined(DOT_FLOAT)
  return start_sums(257 * low, both);
#else
  return start_sums(low, both);
#endif
#else
  int sum = int(meta.z) + int(meta.w);
#if defined(DOT_SIGNED)
  return start_sums(0, 128 * sum);
#elif defined(DOT_FLOAT)
  return start_sums(-2048 * sum, -128 * sum);
#else
  return start_sums(0, 0);
#endif
#endif
}

// Of the rows' sums.
vec4 activation_scales(uvec4 meta) {
  precise float scale = uintBitsToFloat(meta.x);
#if defined(DOT_FLOAT)
  precise float unit = scale * 5.9604644775390625e-8;  // 2^-24
  return vec4(unit);
#else
#if ZERO_POINT == 8
  precise float sixteenth = uintBitsToFloat(meta.y);
#else
  precise float sixteenth = scale * 0.0625;
#endif
  return vec4(scale, scale, sixteenth, sixteenth);
#endif
}

vec4 block_product(Scales4 s, RowSums sums, uvec4 meta) {
  precise vec4 scale = s.scale * activation_scales(meta);
  precise vec4 term = row_sums(sums) * scale;
#if HAS_MINIMUM
  precise vec4 offset = s.minimum[0] * uintBitsToFloat(meta.y);
  term = term + offset;
#endif
  return term;
}

void main() {
  uint lane = lane_index();
  uint group = min(wanted_group(), groups - 1u);
  BlockAt at = BlockAt((group * steps) * 16u + lane, 0u, lane, group * steps * 2u + lane / 8u);
  uint codes = group * steps * 64u + lane;
  uint first_activation = first_column() * blocks;
  vec4 sums[COLUMNS];
  for (uint c = 0u; c < COLUMNS; ++c) sums[c] = vec4(0.0);
  for (uint b = lane; b < blocks; b += 16u) {
    uvec4 meta[COLUMNS];
    RowSums parts[COLUMNS];
    UNROLL for (uint c = 0u; c < COLUMNS; ++c) {
      meta[c] = activation_meta_at(2u * (first_activation + c * blocks + b) + kMetaVector);
      parts[c] = start_from(meta[c]);
    }
    UNROLL for (uint h = 0u; h < 2u; ++h) {
      uvec4 first = codes_at(codes + 16u * h), second = codes_at(codes + 16u * h + 32u);
      UNROLL for (uint c = 0u; c < COLUMNS; ++c)
        add_half(parts[c], first, second, activation_codes_at(2u * (first_activation + c * blocks + b) + h));
    }
    Scales4 s = load_scales(at);
    for (uint c = 0u; c < COLUMNS; ++c) {
      precise vec4 sum = sums[c] + block_product(s, parts[c], meta[c]);
      sums[c] = sum;
    }
    codes += 64u;
    at.slot += 16u;
    at.super_block += 2u;
  }
  join_and_finish(sums);
}
