#pragma OPENCL FP_CONTRACT OFF
// F32 to Q8 (docs/numerics.md, section 4): a work-item is a block of 32.
#include "backend/opencl/kernels/exact.clh"

int sum_of(int16 x) {
  const int8 eight = x.lo + x.hi;
  const int4 four = eight.lo + eight.hi;
  return four.x + four.y + four.z + four.w;
}

uint largest_of(uint16 x) {
  const uint8 eight = max(x.lo, x.hi);
  const uint4 four = max(eight.lo, eight.hi);
  return max(max(four.x, four.y), max(four.z, four.w));
}

int16 codes_of(float16 x, float inverse) {
  const float16 scaled = x * inverse;
  const float16 rounded = scaled + 12582912.0f;
  return as_int16(rounded) - 0x4b400000;
}

__kernel void hb_quantise(__global const float* in, __global char* codes, __global int4* meta, uint blocks) {
  const size_t index = get_global_id(1) * (size_t)blocks + get_global_id(0);
  const float16 first = vload16(2 * index, in), last = vload16(2 * index + 1, in);
  const uint absmax_bits = largest_of(max(as_uint16(first) & 0x7fffffffu, as_uint16(last) & 0x7fffffffu));
  if (absmax_bits < 0x29800000u) {  // 2^-44
    vstore16((char16)(0), 2 * index, codes);
    vstore16((char16)(0), 2 * index + 1, codes);
    meta[index] = (int4)(0);
    return;
  }
  const float absmax = as_float(absmax_bits);
  const float inverse_absmax = exact_rcp(absmax);
  const float inverse = 127.0f * inverse_absmax;
  const int16 first_codes = codes_of(first, inverse), last_codes = codes_of(last, inverse);
  const int first_sum = sum_of(first_codes), last_sum = sum_of(last_codes);
  const float inverse_127 = exact_rcp(127.0f);
  const float scale = absmax * inverse_127;
  const float weighted = scale * (float)(first_sum + last_sum);
  vstore16(convert_char16(first_codes), 2 * index, codes);
  vstore16(convert_char16(last_codes), 2 * index + 1, codes);
  meta[index] = (int4)(as_int(scale), as_int(weighted), first_sum, last_sum);
}
