// What the two embed kernels share. A table may lie in several bindings; each dispatch writes the tokens of its rows.
#ifndef HB_EMBED_GLSL
#define HB_EMBED_GLSL

#define BATCH_BINDING 4
#include "backend/vulkan/shaders/batch.glsl"

layout(local_size_x = 64) in;
layout(binding = 9) writeonly buffer Out { float out_values[]; };
layout(push_constant) uniform Push {
  uint steps;
  uint width;
  uint first_token;  // of this dispatch
  uint tokens;       // of this dispatch
  float factor;
};

#endif
