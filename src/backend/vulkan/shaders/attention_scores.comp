// Scores of one span of 256 positions for one head of one row, four positions an invocation, and their maximum.
#version 450
#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/attention.glsl"
#include "backend/vulkan/shaders/lane_array.glsl"

layout(local_size_x = 64) in;
layout(binding = 1) readonly buffer Query { float query[]; };
layout(binding = 2) readonly buffer Keys { uint cache_keys[]; };
layout(binding = 3) writeonly buffer Scores { float scores[]; };
layout(binding = 4) writeonly buffer Maxima { float maxima[]; };

shared float largest[64];

void add_pair(inout precise float even, inout precise float odd, vec2 q, uint word, bool has_odd) {
  vec2 k = halves_to_floats(word);
  precise float product = q.x * k.x;
  even = even + product;
  if (has_odd) {
    precise float other = q.y * k.y;
    odd = odd + other;
  }
}

float score(uint query_at, uint key_at) {
  precise float lane[16];
  for (uint l = 0u; l < 16u; ++l) lane[l] = 0.0;
  for (uint d = 0u; d < head_dim; d += 16u) {
    for (uint l = 0u; l < 16u; l += 2u) {
      if (d + l < head_dim) {
        bool has_odd = d + l + 1u < head_dim;
        vec2 q = vec2(query[query_at + d + l], has_odd ? query[query_at + d + l + 1u] : 0.0);
        add_pair(lane[l], lane[l + 1u], q, cache_keys[key_at + (d + l) / 2u], has_odd);
      }
    }
  }
  precise float dot_product = join_lane_array(lane);
  precise float scaled = dot_product * score_scale;
  if (softcap != 0.0) {
    precise float inverse = exact_rcp(softcap);
    precise float argument = scaled * inverse;
    precise float bounded = exact_tanh(argument);
    scaled = softcap * bounded;
  }
  return scaled;
}

void main() {
  uint at = gl_LocalInvocationIndex;
  uint span = gl_WorkGroupID.x, head = gl_WorkGroupID.y, row = gl_WorkGroupID.z;
  uint last = position_of(row), first = first_visible(last);
  uint query_at = ((first_row + row) * heads + head) * head_dim;
  uint scratch = scratch_span(row, head, span);
  float maximum = kNoScore;
  for (uint i = at; i < kSpan; i += 64u) {
    uint t = span * kSpan + i;
    if (t >= first && t <= last) {
      float s = score(query_at, cache_word(t, head));
      scores[scratch * kSpan + i] = s;
      maximum = s > maximum ? s : maximum;
    }
  }
  largest[at] = maximum;
  for (uint distance = 32u; distance > 0u; distance >>= 1) {
    barrier();
    if (at < distance && largest[at + distance] > largest[at]) largest[at] = largest[at + distance];
  }
  if (at == 0u) maxima[scratch] = largest[0];
}
