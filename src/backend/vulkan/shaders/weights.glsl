// Quantised weights as weight_layout.h stores them, and what the formats' codes and scales mean.
//
// Bindings 0 to 3 are the weight's sections; with TEXEL, texel buffers of the same elements.
#ifndef HB_WEIGHTS_GLSL
#define HB_WEIGHTS_GLSL

#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/formats.glsl"

#define HAS_GROUPS (SCALES == SCALES_GROUPED || SCALES == SCALES_GROUPED_AFFINE)
#define HAS_MINIMUM (SCALES != SCALES_PLAIN && SCALES != SCALES_GROUPED)
#define HAS_SUPER (SCALES >= SCALES_SUPER_AFFINE)

#ifdef TEXEL
layout(binding = 0) uniform usamplerBuffer weight_codes;
layout(binding = 1) uniform usamplerBuffer weight_high;
layout(binding = 2) uniform usamplerBuffer weight_scales;
layout(binding = 3) uniform usamplerBuffer weight_extra;
uvec4 codes_at(uint index) { return texelFetch(weight_codes, int(index)); }
uvec4 high_at(uint index) { return texelFetch(weight_high, int(index)); }
uvec2 scales_at(uint index) { return texelFetch(weight_scales, int(index)).xy; }
uvec2 extra_at(uint index) { return texelFetch(weight_extra, int(index)).xy; }
#else
layout(binding = 0) readonly buffer Codes { uvec4 weight_codes[]; };
layout(binding = 1) readonly buffer High { uvec4 weight_high[]; };
layout(binding = 2) readonly buffer Scales { uvec2 weight_scales[]; };
layout(binding = 3) readonly buffer Extra { uvec2 weight_extra[]; };
uvec4 codes_at(uint index) { return weight_codes[index]; }
uvec4 high_at(uint index) { return weight_high[index]; }
uvec2 scales_at(uint index) { return weight_scales[index]; }
uvec2 extra_at(uint index) { return weight_extra[index]; }
#endif

// What this device's 4-bit codes were combined with when they were packed (weight_layout.h).
layout(constant_id = 0) const uint kStoredFlip = 0u;

const int kCodebook[16] = int[16](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

// A block of 32 columns of a group of four rows: where it is. `steps`: sixteenths of the row's blocks, rounded up.
struct BlockAt {
  uint slot;         // (group * steps + block / 16) * 16 + block mod 16
  uint plane;        // the same without the lane, times 16: sections with several words a lane
  uint lane;         // block mod 16
  uint super_block;  // (group, block / 8)
};

BlockAt block_at(uint group, uint steps, uint block) {
  uint step_at = group * steps + block / 16u;
  return BlockAt(step_at * 16u + block % 16u, step_at, block % 16u, group * steps * 2u + block / 8u);
}

// Four unsigned codes (Q8_0: signed) of columns 4 word … 4 word + 3 of each row.
uvec4 load_codes(BlockAt at, uint word) {
  uint half_index = word / 4u, component = word % 4u;
#if BASE_BITS == 4
  uint first = codes_at((at.plane * 4u + half_index) * 16u + at.lane)[component] ^ kStoredFlip;
  uint second = codes_at((at.plane * 4u + 2u + half_index) * 16u + at.lane)[component] ^ kStoredFlip;
  uvec4 codes = uvec4(first, second, first >> 4, second >> 4) & 0x0f0f0f0fu;
#elif BASE_BITS == 2
  uvec4 codes = (codes_at((at.plane * 2u + half_index) * 16u + at.lane) >> (2u * component)) & 0x03030303u;
#else
  uvec4 codes;
  for (uint r = 0u; r < 4u; ++r) {
    codes[r] = codes_at((at.plane * 8u + 2u * r + half_index) * 16u + at.lane)[component];
  }
#endif
#if HIGH_BITS == 1
  codes |= ((high_at(at.slot) >> word) & 0x01010101u) << BASE_BITS;
#elif HIGH_BITS == 2
  uvec4 high = high_at((at.plane * 2u + half_index) * 16u + at.lane);
  codes |= ((high >> (2u * component)) & 0x03030303u) << BASE_BITS;
#endif
  return codes;
}

// The four codes of a word as the contract's integers, but for the zero point.
ivec4 code_values(uint codes) {
#if CODEBOOK
  return ivec4(kCodebook[codes & 15u], kCodebook[(codes >> 8) & 15u], kCodebook[(codes >> 16) & 15u],
               kCodebook[codes >> 24]);
#elif BASE_BITS == 8
  return ivec4(int(codes << 24) >> 24, int(codes << 16) >> 24, int(codes << 8) >> 24, int(codes) >> 24);
#else
  return ivec4(codes & 255u, (codes >> 8) & 255u, (codes >> 16) & 255u, codes >> 24);
#endif
}

// Byte r of a word, one a row.
ivec4 row_bytes(uint word) { return ivec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24); }
ivec4 signed_row_bytes(uint word) {
  return ivec4(int(word << 24) >> 24, int(word << 16) >> 24, int(word << 8) >> 24, int(word) >> 24);
}

// The scales of a block, one a row.
struct Scales4 {
  vec4 scale;
  ivec4 group_scale[2];  // of each half
  vec4 minimum[2];
};

Scales4 load_scales(BlockAt at) {
  Scales4 s;
  uvec2 stored = scales_at(at.slot);
#if SCALES == SCALES_PLAIN || SCALES == SCALES_AFFINE
  s.scale = halves_to_floats(stored);
#if SCALES == SCALES_AFFINE
  s.minimum[0] = halves_to_floats(extra_at(at.slot));
#endif
#else
  vec4 super_scale = halves_to_floats(extra_at(2u * at.super_block));
#if HAS_MINIMUM
  vec4 super_minimum = halves_to_floats(extra_at(2u * at.super_block + 1u));
#endif
#if SCALES == SCALES_SUPER_AFFINE
  precise vec4 scale = super_scale * vec4(row_bytes(stored.x));
  precise vec4 minimum = super_minimum * vec4(row_bytes(stored.y));
  s.scale = scale;
  s.minimum[0] = minimum;
#elif SCALES == SCALES_GROUPED
  s.scale = super_scale;
  s.group_scale[0] = signed_row_bytes(stored.x);
  s.group_scale[1] = signed_row_bytes(stored.y);
#else
  s.scale = super_scale;
  for (uint h = 0u; h < 2u; ++h) {
    s.group_scale[h] = row_bytes(stored[h] & 0x0f0f0f0fu);
    precise vec4 minimum = super_minimum * vec4(row_bytes((stored[h] >> 4) & 0x0f0f0f0fu));
    s.minimum[h] = minimum;
  }
#endif
#endif
  return s;
}

#endif
