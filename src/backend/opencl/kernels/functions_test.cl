#pragma OPENCL FP_CONTRACT OFF
// For tests: exact.clh function by function, on bits; the vectors' too.
#include "backend/opencl/kernels/exact.clh"

uint scalar_bits(uint function, uint x) {
  switch (function) {
    case 0: return as_uint(exact_settle(as_float(x)));
    case 1: return as_uint(exact_rcp(as_float(x)));
    case 2: return as_uint(exact_rsqrt(as_float(x)));
    case 3: return as_uint(exact_exp(as_float(x)));
    case 4: return as_uint(exact_sigmoid(as_float(x)));
    case 5: return as_uint(exact_silu(as_float(x)));
    case 6: return as_uint(exact_gelu(as_float(x)));
    case 7: return as_uint(exact_tanh(as_float(x)));
    case 8: return half_to_float_bits(x & 0xffffu);
    default: return float_bits_to_half(x);
  }
}

float16 vector_values(uint function, float16 x) {
  switch (function) {
    case 0: return exact16_settle(x);
    case 1: return exact16_rcp(x);
    case 2: return exact16_rsqrt(x);
    case 3: return exact16_exp(x);
    case 4: return exact16_sigmoid(x);
    case 5: return exact16_silu(x);
    case 6: return exact16_gelu(x);
    default: return exact16_tanh(x);
  }
}

// A work-item is sixteen inputs.
__kernel void hb_functions(__global const uint* in, __global uint* out, __global uint* out16, uint function) {
  const uint i = get_global_id(0);
  for (uint j = 16 * i; j < 16 * i + 16; ++j) out[j] = scalar_bits(function, in[j]);
  if (function < 8) {
    vstore16(as_uint16(vector_values(function, as_float16(vload16(i, in)))), i, out16);
  } else if (function == 8) {
    vstore16(as_uint16(half_values16((__global const ushort*)in + 32 * i)), i, out16);
  }
}
