// F32, F16 or BF16 matrix times COLUMNS rows of floats.
#version 450
#include "backend/vulkan/shaders/float_weights.glsl"
#include "backend/vulkan/shaders/matvec.glsl"

layout(binding = 4) readonly buffer In { float in_values[]; };

void main() {
  uint group = min(wanted_group(), groups - 1u);
  vec4 sums[COLUMNS];
  for (uint c = 0u; c < COLUMNS; ++c) sums[c] = vec4(0.0);
  for (uint k = lane_index(); k < blocks; k += 16u) {
    vec4 w = load_weights(group * steps * 16u + k);
    for (uint c = 0u; c < COLUMNS; ++c) {
      precise vec4 product = w * in_values[(first_column() + c) * blocks + k];
      precise vec4 sum = sums[c] + product;
      sums[c] = sum;
    }
  }
  join_and_finish(sums);
}
