// F32, F16 and BF16 weights as weight_layout.h stores them: (row group, step, lane) of four rows of one column.
#ifndef HB_FLOAT_WEIGHTS_GLSL
#define HB_FLOAT_WEIGHTS_GLSL

#include "backend/vulkan/shaders/exact.glsl"

#if defined(FORMAT_F32)
layout(binding = 0) readonly buffer Values { vec4 weight_values[]; };
#else
layout(binding = 0) readonly buffer Values { uvec2 weight_values[]; };
#endif

vec4 load_weights(uint slot) {
#if defined(FORMAT_F32)
  return weight_values[slot];
#elif defined(FORMAT_F16)
  return halves_to_floats(weight_values[slot]);
#else
  uvec2 stored = weight_values[slot];
  return uintBitsToFloat(uvec4(stored.x << 16, stored.x & 0xffff0000u, stored.y << 16, stored.y & 0xffff0000u));
#endif
}

#endif
