// The spans' sums of one head of one row, added in ascending order, and the result.
#version 450
#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/attention.glsl"

layout(local_size_x = 64) in;
layout(binding = 1) readonly buffer Partial { float partial[]; };  // (rows, heads, spans, 1 + head_dim)
layout(binding = 2) writeonly buffer Out { float out_values[]; };

float sum_of_spans(uint row, uint head, uint element) {
  uint last = position_of(row), first = first_visible(last);
  precise float sum = 0.0;
  for (uint span = first / kSpan; span <= last / kSpan; ++span) {
    sum = sum + partial[scratch_span(row, head, span) * (head_dim + 1u) + element];
  }
  return sum;
}

void main() {
  uint head = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
  precise float weight_sum = sum_of_spans(row, head, 0u);
  precise float inverse = exact_rcp(weight_sum);
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += 64u) {
    precise float weighted = sum_of_spans(row, head, 1u + d);
    precise float result = weighted * inverse;
    out_values[((first_row + row) * heads + head) * head_dim + d] = exact_settle(result);
  }
}
