// The contract's functions (docs/numerics.md) for shaders: GLSL's spelling of base/exact_functions.inl.
//
// Every float of a shader that results from arithmetic is declared `precise`, or SPIR-V may contract it.
#ifndef HB_EXACT_GLSL
#define HB_EXACT_GLSL

#ifdef HALF_HARDWARE
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

#define HB_FN
#define HB_F float
#define HB_LET precise float
#define HB_LET_BITS uint
#define HB_NAME(function) exact_##function
#define HB_BITS(x) floatBitsToUint(x)
#define HB_FROM_BITS(bits) uintBitsToFloat(bits)
#define HB_SPLAT(value) value
#define HB_SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#include "base/exact_functions.inl"

#define HB_INT_FN
#define HB_U32 uint
#define HB_BITS_OF_INTEGER(i) floatBitsToUint(float(i))
#include "base/half_functions.inl"

// Never unpackHalf2x16: drivers get it wrong. HALF_HARDWARE: for devices whose conversion has been compared for every
// half (half_check.h).
vec2 halves_to_floats(uint pair) {
#ifdef HALF_HARDWARE
  return vec2(unpackFloat2x16(pair));
#else
  return vec2(uintBitsToFloat(half_to_float_bits(pair & 0xffffu)), uintBitsToFloat(half_to_float_bits(pair >> 16)));
#endif
}

vec4 halves_to_floats(uvec2 four) { return vec4(halves_to_floats(four.x), halves_to_floats(four.y)); }

#endif
