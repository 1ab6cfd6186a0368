// F32 to Q8 blocks of 32 (docs/numerics.md, section 4): eight invocations a block, four elements each.
#version 450
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float in_values[]; };
layout(binding = 1) writeonly buffer Codes { uint out_codes[]; };  // (rows, blocks, 8): four int8 codes each
layout(binding = 2) writeonly buffer Meta { uvec4 out_meta[]; };   // (rows, blocks, 2): see activations.glsl
layout(push_constant) uniform Push {
  uint blocks;  // a row
};

shared uint largest[64];
shared int code_sums[64];

void main() {
  uint at = gl_LocalInvocationIndex;
  uint first = at & ~7u;  // of the block's eight
  uint block = gl_WorkGroupID.x * 8u + (at >> 3);
  bool exists = block < blocks;
  uint index = gl_WorkGroupID.y * blocks + (exists ? block : 0u);

  float x[4];
  uint absmax_bits = 0u;
  for (uint i = 0u; i < 4u; ++i) {
    x[i] = in_values[index * 32u + (at & 7u) * 4u + i];
    absmax_bits = max(absmax_bits, floatBitsToUint(x[i]) & 0x7fffffffu);
  }
  largest[at] = absmax_bits;
  barrier();
  for (uint i = 0u; i < 8u; ++i) absmax_bits = max(absmax_bits, largest[first + i]);
  bool zero = absmax_bits < 0x29800000u;  // 2^-44

  precise float absmax = uintBitsToFloat(zero ? 0x3f800000u : absmax_bits);
  precise float inverse_absmax = exact_rcp(absmax);
  precise float inverse = 127.0 * inverse_absmax;
  uint word = 0u;
  int sum = 0;
  for (uint i = 0u; i < 4u; ++i) {
    precise float scaled = x[i] * inverse;
    precise float rounded = scaled + 12582912.0;
    int code = zero ? 0 : int(floatBitsToUint(rounded) - 0x4b400000u);
    word |= (uint(code) & 0xffu) << (8u * i);
    sum += code;
  }
  code_sums[at] = sum;
  barrier();
  if (exists) out_codes[index * 8u + (at & 7u)] = word;
  if (exists && (at & 7u) == 0u) {
    int half0 = code_sums[at] + code_sums[at + 1u] + code_sums[at + 2u] + code_sums[at + 3u];
    int half1 = code_sums[at + 4u] + code_sums[at + 5u] + code_sums[at + 6u] + code_sums[at + 7u];
    precise float inverse_127 = exact_rcp(127.0);
    precise float product = absmax * inverse_127;
    precise float scale = zero ? 0.0 : product;
    int total = half0 + half1;
    precise float weighted = scale * float(total);
    precise float sixteenth = scale * 0.0625;
    out_meta[2u * index] = uvec4(floatBitsToUint(scale), floatBitsToUint(weighted), uint(half0), uint(half1));
    out_meta[2u * index + 1u] =
        uvec4(floatBitsToUint(scale), floatBitsToUint(sixteenth), uint(-8 * total), uint(-136 * total));
  }
}
