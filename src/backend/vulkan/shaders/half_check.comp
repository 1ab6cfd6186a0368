// Every half as the hardware converts it (half_check.h).
#version 450
#define HALF_HARDWARE
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Floats { uvec2 out_floats[]; };

void main() {
  uint pair = gl_GlobalInvocationID.x;
  out_floats[pair] = floatBitsToUint(halves_to_floats(2u * pair | (2u * pair + 1u) << 16));
}
