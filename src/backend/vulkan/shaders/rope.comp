// One invocation a pair of a row.
#version 450
#define BATCH_BINDING 2
#include "backend/vulkan/shaders/batch.glsl"
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(binding = 1) readonly buffer Angles { vec2 angles[]; };  // (batch_step + rows, pairs): cos, sin
layout(push_constant) uniform Push {
  uint width;
  uint head_dim;
  uint pairs;  // of a head
  uint total;  // of a row
  uint adjacent;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < total) {
    uint pair = i % pairs;
    uint head = gl_WorkGroupID.y * width + i / pairs * head_dim;
    uint first = head + (adjacent != 0u ? 2u * pair : pair);
    uint second = head + (adjacent != 0u ? 2u * pair + 1u : pair + pairs);
    vec2 angle = angles[(batch_step + gl_WorkGroupID.y) * pairs + pair];
    precise float a = values[first];
    precise float b = values[second];
    precise float a_cos = a * angle.x;
    precise float b_sin = b * angle.y;
    precise float a_sin = a * angle.y;
    precise float b_cos = b * angle.x;
    precise float rotated_a = a_cos - b_sin;
    precise float rotated_b = a_sin + b_cos;
    values[first] = exact_settle(rotated_a);
    values[second] = exact_settle(rotated_b);
  }
}
