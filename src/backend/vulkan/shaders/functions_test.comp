// Each function of exact.glsl on an array, for the test that compares it with C++.
#version 450
#include "backend/vulkan/shaders/exact.glsl"

layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint in_bits[]; };
layout(binding = 1) writeonly buffer Out { uint out_bits[]; };
layout(push_constant) uniform Push {
  uint function;
  uint count;
};

uint evaluate(uint bits) {
  float x = uintBitsToFloat(bits);
  switch (function) {
    case 0: return floatBitsToUint(exact_settle(x));
    case 1: return floatBitsToUint(exact_rcp(x));
    case 2: return floatBitsToUint(exact_rsqrt(x));
    case 3: return floatBitsToUint(exact_exp(x));
    case 4: return floatBitsToUint(exact_sigmoid(x));
    case 5: return floatBitsToUint(exact_silu(x));
    case 6: return floatBitsToUint(exact_gelu(x));
    case 7: return floatBitsToUint(exact_tanh(x));
    case 8: return half_to_float_bits(bits & 0xffffu);
    default: return float_bits_to_half(bits);
  }
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) out_bits[i] = evaluate(in_bits[i]);
}
