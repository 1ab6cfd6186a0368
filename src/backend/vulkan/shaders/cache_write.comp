// K and V rows to f16: one invocation two neighbouring elements of a head, which share a word of the cache.
#version 450
#include "backend/vulkan/shaders/exact.glsl"
#include "backend/vulkan/shaders/batch.glsl"

layout(local_size_x = 64) in;
layout(binding = 1) readonly buffer Key { float key_values[]; };
layout(binding = 2) readonly buffer Value { float value_values[]; };
layout(binding = 3) writeonly buffer Keys { uint cache_keys[]; };      // (positions, kv_heads, head_words)
layout(binding = 4) writeonly buffer Values { uint cache_values[]; };  // likewise
layout(push_constant) uniform Push {
  uint kv_heads;
  uint head_dim;
  uint head_words;  // of a head: head_dim / 2, rounded up
};

uint to_half(float value) { return float_bits_to_half(floatBitsToUint(value)); }

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint row_words = kv_heads * head_words;
  if (i < row_words) {
    uint row = gl_WorkGroupID.y;
    uint element = 2u * (i % head_words);
    uint from = (row * kv_heads + i / head_words) * head_dim + element;
    bool has_second = element + 1u < head_dim;
    uint to = (batch_position + row) * row_words + i;
    uint second_key = has_second ? to_half(key_values[from + 1u]) : 0u;
    uint second_value = has_second ? to_half(value_values[from + 1u]) : 0u;
    cache_keys[to] = to_half(key_values[from]) | second_key << 16;
    cache_values[to] = to_half(value_values[from]) | second_value << 16;
  }
}
