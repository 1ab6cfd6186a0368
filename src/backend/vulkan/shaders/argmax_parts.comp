// The largest logit of every 64th part of a row: one work-group a part.
#version 450
#include "backend/vulkan/shaders/argmax.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Logits { float logits[]; };
layout(binding = 1) writeonly buffer Parts { uvec2 parts[]; };  // bits of the value, id
layout(push_constant) uniform Push {
  uint count;
};

void main() {
  uint first = min(gl_GlobalInvocationID.x, count - 1u);
  float value = logits[first];
  uint id = first;
  for (uint i = first + 4096u; i < count; i += 4096u) {
    if (logits[i] > value) {
      value = logits[i];
      id = i;
    }
  }
  join_candidates(value, id);
  if (gl_LocalInvocationIndex == 0u) {
    parts[gl_WorkGroupID.x] = uvec2(floatBitsToUint(candidate_values[0]), candidate_ids[0]);
  }
}
