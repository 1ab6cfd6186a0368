// Rows of a quantised table: one invocation four columns of a row.
#version 450
#include "backend/vulkan/shaders/weights.glsl"
#include "backend/vulkan/shaders/embed.glsl"

void main() {
  uint word = gl_GlobalInvocationID.x;
  uint row = gl_WorkGroupID.y;
  uint token = batch_tokens[row] - first_token;
  if (word < width / 4u && token < tokens) {
    uint r = token % 4u, h = word % 8u / 4u;
    BlockAt at = block_at(token / 4u, steps, word / 8u);
    ivec4 codes = code_values(load_codes(at, word % 8u)[r]) - ZERO_POINT;
    Scales4 s = load_scales(at);
#if HAS_GROUPS
    codes *= s.group_scale[h][r];
#endif
    precise vec4 value = vec4(codes) * s.scale[r];
#if SCALES == SCALES_GROUPED_AFFINE
    value = value + s.minimum[h][r];
#elif HAS_MINIMUM
    value = value + s.minimum[0][r];
#endif
    precise vec4 scaled = value * factor;
    for (uint i = 0u; i < 4u; ++i) out_values[row * width + word * 4u + i] = exact_settle(scaled[i]);
  }
}
