// The exact sums of a block of 4-bit codes and a block of activations, for four rows. A byte holds the codes of two
// rows at one column, so a word of four columns serves two rows with one mask:
//   low = dot(bytes & 0x0f, a), row `pair`;   both = dot(bytes, a) = low + 16 * high, rows `pair` and `pair + 2`.
// Zero points are in what the sums start from. Results of rows 2 and 3 stay times 16: their scale is a sixteenth.
//
// One of
//   DOT_MIXED   packed dot products of unsigned and signed bytes (Adreno 650 and later)
//   DOT_SIGNED  packed dot products of signed bytes (Mali), where a high nibble is a signed code: the flipped layout
//   DOT_FLOAT   integers in floats, for devices without: everything times 2^24
#ifndef HB_PACKED_SUMS_GLSL
#define HB_PACKED_SUMS_GLSL

const uint kLowNibbles = 0x0f0f0f0fu;
const uint kHighBits = 0x80808080u;

#if defined(DOT_FLOAT)

// Each product and each partial sum is an integer (times 2^24) of magnitude below 2^24, so all of it is exact: a code c
// is read as the float 2048 + c or 128 + c, which is the nibble in the mantissa under an exponent, and
// (2048 + 15) * 127 * 32 < 2^24.
struct RowSums {
  vec4 rows;
};

const float kUnit = 16777216.0;

RowSums start_sums(int low, int high) {
  precise vec4 start = vec4(float(low), float(low), float(high), float(high)) * kUnit;
  return RowSums(start);
}

// Of a word of four signed bytes, times 2^24: the byte at the top of the word needs no shift down.
vec4 byte_floats(uint word) {
  const uint kTop = 0xff000000u;
  return vec4(int(word << 24), int((word << 16) & kTop), int((word << 8) & kTop), int(word & kTop));
}

// A nibble at bit 12 as 2048 + code, and one at bit 16 as 128 + code.
float low_code(uint bits) { return uintBitsToFloat((bits & 0x0000f000u) | 0x45000000u); }
float high_code(uint bits) { return uintBitsToFloat((bits & 0x000f0000u) | 0x43000000u); }

vec4 code_pairs(uint first, uint second) {
  return vec4(low_code(first), low_code(second), high_code(first), high_code(second));
}

void add_codes(inout RowSums sums, vec4 codes, float activation) {
  precise vec4 product = codes * activation;
  precise vec4 rows = sums.rows + product;
  sums.rows = rows;
}

void add_word(inout RowSums sums, uint first, uint second, uint x) {
  vec4 a = byte_floats(x);
  add_codes(sums, code_pairs(first << 12, second << 12), a[0]);
  add_codes(sums, code_pairs(first << 4, second << 4), a[1]);
  add_codes(sums, code_pairs(first >> 4, second >> 4), a[2]);
  add_codes(sums, code_pairs(first >> 12, second >> 12), a[3]);
}

// No loop: spirv-opt's unrolled copies lose NoContraction.
void add_half(inout RowSums sums, uvec4 first, uvec4 second, uvec4 x) {
  first ^= kStoredFlip;
  second ^= kStoredFlip;
  add_word(sums, first.x, second.x, x.x);
  add_word(sums, first.y, second.y, x.y);
  add_word(sums, first.z, second.z, x.z);
  add_word(sums, first.w, second.w, x.w);
}

vec4 row_sums(RowSums sums) { return sums.rows; }

#else

#if defined(DOT_MIXED)
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4452)  // OpSUDot
int dot_signed_unsigned(int a, uint b, spirv_literal int format);
int dot4(uint codes, uint activations) { return dot_signed_unsigned(int(activations), codes, 0); }
const uint kFlip = kStoredFlip;
#else
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)  // OpSDot
int dot_signed_signed(int a, int b, spirv_literal int format);
int dot4(uint codes, uint activations) { return dot_signed_signed(int(codes), int(activations), 0); }
const uint kFlip = kStoredFlip ^ kHighBits;
#endif

struct RowSums {
  ivec2 low, both;
};

RowSums start_sums(int low, int both) { return RowSums(ivec2(low), ivec2(both)); }

// One pair after the other: on Mali two pairs at once take more than the 32 registers that allow two threads.
void add_pair(inout int low, inout int both, uvec4 codes, uvec4 x) {
  codes ^= kFlip;
  [[unroll]] for (uint c = 0u; c < 4u; ++c) {
    both += dot4(codes[c], x[c]);
    low += dot4(codes[c] & kLowNibbles, x[c]);
  }
}

void add_half(inout RowSums sums, uvec4 first, uvec4 second, uvec4 x) {
  add_pair(sums.low.x, sums.both.x, first, x);
  add_pair(sums.low.y, sums.both.y, second, x);
}

vec4 row_sums(RowSums sums) { return vec4(vec2(sums.low), vec2(sums.both - sums.low)); }

#endif

#endif
