// A copy of the batch's last rows.
#version 450
#include "backend/vulkan/shaders/batch.glsl"

layout(local_size_x = 64) in;
layout(binding = 1) readonly buffer In { uint in_bits[]; };
layout(binding = 2) writeonly buffer Out { uint out_bits[]; };
layout(push_constant) uniform Push {
  uint width;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint row = gl_WorkGroupID.y;
  uint skipped = batch_count - batch_output_count;
  if (i < width) out_bits[row * width + i] = in_bits[(skipped + row) * width + i];
}
