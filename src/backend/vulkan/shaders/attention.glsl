// What the three attention kernels share (docs/numerics.md, section 7). Row r of a dispatch is row first_row + r of
// the batch; scores, maxima and partial results are kept for (rows, heads, spans) of the dispatch.
#ifndef HB_ATTENTION_GLSL
#define HB_ATTENTION_GLSL

#include "backend/vulkan/shaders/batch.glsl"

layout(push_constant) uniform Push {
  uint heads;
  uint kv_heads;
  uint head_dim;
  uint head_words;  // of a head in the cache
  uint spans;       // that fit the context: the stride between heads
  uint first_row;
  uint window;  // 0: none
  float score_scale;
  float softcap;  // 0: none
};

const uint kSpan = 256u;
const float kNoScore = -3.0e38;

uint position_of(uint row) { return batch_position + first_row + row; }

uint first_visible(uint position) { return window == 0u || position < window ? 0u : position - window + 1u; }

// Of (row, head) in the scratch buffers, in spans.
uint scratch_span(uint row, uint head, uint span) { return (row * heads + head) * spans + span; }

// Word of the cache where the KV head of `head` begins at `position`.
uint cache_word(uint position, uint head) {
  return (position * kv_heads + head / (heads / kv_heads)) * head_words;
}

#endif
