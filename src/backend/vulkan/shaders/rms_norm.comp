// One work-group a group of a row: sixteen invocations sum the squares, one a lane; all scale.
#version 450
#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/lanes.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float in_values[]; };
layout(binding = 1) readonly buffer Weight { float weight_values[]; };
layout(binding = 2) readonly buffer Residual { float residual_values[]; };
layout(binding = 3) writeonly buffer Out { float out_values[]; };
layout(push_constant) uniform Push {
  uint width;
  uint group;
  uint has_residual;
  float epsilon;
};

void main() {
  uint begin = gl_WorkGroupID.y * width + gl_WorkGroupID.x * group;
  uint lane = gl_LocalInvocationIndex;
  precise float sum = 0.0;
  for (uint i = lane; lane < 16u && i < group; i += 16u) {
    precise float x = in_values[begin + i];
    precise float square = x * x;
    sum = sum + square;
  }
  lane_values[0][lane] = sum;
  join_lanes(lane);
  precise float total = lane_values[0][0];
  precise float inverse_count = exact_rcp(float(group));
  precise float mean = total * inverse_count;
  precise float biased = mean + epsilon;
  precise float factor = exact_rsqrt(biased);
  for (uint i = lane; i < group; i += 64u) {
    precise float normal = in_values[begin + i] * factor;
    precise float y = normal * weight_values[i];
    if (has_residual != 0u) y = residual_values[begin + i] + y;
    out_values[begin + i] = exact_settle(y);
  }
}
