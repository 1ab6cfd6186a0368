// The likeliest token, out of 64 parts: it is kept for the host, and becomes the next evaluation's token.
#version 450
#include "backend/vulkan/shaders/argmax.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Parts { uvec2 parts[]; };
layout(binding = 1) buffer Batch {  // batch.glsl
  uint batch_position;
  uint batch_count;
  uint batch_output_count;
  uint batch_step;
  uint batch_tokens[];
};
layout(binding = 2) writeonly buffer Chosen { uint chosen[]; };

void main() {
  uvec2 part = parts[gl_LocalInvocationIndex];
  join_candidates(uintBitsToFloat(part.x), part.y);
  if (gl_LocalInvocationIndex == 0u) {
    chosen[batch_step] = candidate_ids[0];
    batch_tokens[0] = candidate_ids[0];
    batch_position += 1u;
    batch_step += 1u;
  }
}
