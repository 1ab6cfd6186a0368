#version 450
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform Push {
  uint width;
  float cap;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < width) {
    uint at = gl_WorkGroupID.y * width + i;
    precise float inverse = exact_rcp(cap);
    precise float argument = values[at] * inverse;
    precise float bounded = exact_tanh(argument);
    precise float result = cap * bounded;
    values[at] = exact_settle(result);
  }
}
