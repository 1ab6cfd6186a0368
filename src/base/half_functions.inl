// Conversions between the bits of IEEE binary32 and binary16, in the common subset of C++, GLSL and OpenCL C.
//
// Who includes this file defines HB_INT_FN (what stands before a function), HB_U32 (the unsigned type), and
// HB_BITS_OF_INTEGER(i), the bits of the float of an integer below 2^24.

// binary16 to binary32. Exact; denormals are kept; a NaN becomes quiet.
HB_INT_FN HB_U32 half_to_float_bits(HB_U32 h) {
  HB_U32 sign = (h & 0x8000u) << 16;
  HB_U32 exponent = (h >> 10) & 31u;
  HB_U32 mantissa = h & 0x3ffu;
  HB_U32 bits = 0u;
  if (exponent == 31u) {
    bits = 0x7f800000u | mantissa << 13 | (mantissa != 0u ? 0x400000u : 0u);
  } else if (exponent != 0u) {
    bits = (exponent + 112u) << 23 | mantissa << 13;
  } else {
    // mantissa * 2^-24: the float of the integer, its exponent lowered by 24.
    bits = mantissa != 0u ? HB_BITS_OF_INTEGER(mantissa) - 0x0c000000u : 0u;
  }
  return bits | sign;
}

// binary32 to binary16, to nearest even; denormal results are kept, overflow becomes infinity.
HB_INT_FN HB_U32 float_bits_to_half(HB_U32 bits) {
  HB_U32 sign = (bits >> 16) & 0x8000u;
  HB_U32 magnitude = bits & 0x7fffffffu;
  HB_U32 result = 0u;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {
    result = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {
    result = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  } else if (magnitude >= 0x33000000u) {
    HB_U32 shift = 126u - (magnitude >> 23);  // 14 to 24
    HB_U32 significand = (magnitude & 0x7fffffu) | 0x800000u;
    result = (significand + ((1u << shift) >> 1) - 1u + ((significand >> shift) & 1u)) >> shift;
  }
  return result | sign;
}
