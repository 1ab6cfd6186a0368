#version 450
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push {
  uint width;
  float factor;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < width) {
    uint at = gl_WorkGroupID.y * width + i;
    precise float result = values[at] * factor;
    values[at] = exact_settle(result);
  }
}
