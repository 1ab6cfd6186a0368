// Rows of an F32, F16 or BF16 table: one invocation an element.
#version 450
#include "backend/vulkan/shaders/float_weights.glsl"
#include "backend/vulkan/shaders/embed.glsl"

void main() {
  uint column = gl_GlobalInvocationID.x;
  uint row = gl_WorkGroupID.y;
  uint token = batch_tokens[row] - first_token;
  if (column < width && token < tokens) {
    vec4 values = load_weights(token / 4u * steps * 16u + column);
    precise float value = values[token % 4u] * factor;
    out_values[row * width + column] = exact_settle(value);
  }
}
