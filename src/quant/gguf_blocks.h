// The bytes of GGUF's quantised blocks, little-endian, field by field (docs/formats.md has the drawings).
// Two-byte fields are f16 bits. All structs are packed: rows of blocks start at any address.
#pragma once

#include <cstdint>

namespace hb::gguf {

struct [[gnu::packed]] Q4_0 {
  uint16_t scale;
  uint8_t codes[16];  // byte i: weight i low, weight i + 16 high
};
struct [[gnu::packed]] Q4_1 {
  uint16_t scale, minimum;
  uint8_t codes[16];
};
struct [[gnu::packed]] Q5_0 {
  uint16_t scale;
  uint32_t high_bits;  // bit i: the fifth bit of weight i
  uint8_t codes[16];
};
struct [[gnu::packed]] Q5_1 {
  uint16_t scale, minimum;
  uint32_t high_bits;
  uint8_t codes[16];
};
struct [[gnu::packed]] Q8_0 {
  uint16_t scale;
  int8_t codes[32];
};
struct [[gnu::packed]] Q2_K {
  uint8_t scales[16];  // of 16 weights: scale low nibble, minimum high nibble
  uint8_t codes[64];   // byte 32 h + i, bits 2 j: weight 128 h + 32 j + i
  uint16_t scale, minimum;
};
struct [[gnu::packed]] Q3_K {
  uint8_t high_bits[32];  // byte i, bit 4 h + j: third bit of weight 128 h + 32 j + i
  uint8_t codes[64];      // as Q2_K
  uint8_t scales[12];     // 16 scales of 6 bits
  uint16_t scale;
};
struct [[gnu::packed]] Q4_K {
  uint16_t scale, minimum;
  uint8_t scales[12];  // 8 scales and 8 minimums of 6 bits
  uint8_t codes[128];  // byte 32 c + i: weight 64 c + i low, 64 c + 32 + i high
};
struct [[gnu::packed]] Q5_K {
  uint16_t scale, minimum;
  uint8_t scales[12];
  uint8_t high_bits[32];  // byte i, bit b: fifth bit of weight 32 b + i
  uint8_t codes[128];
};
struct [[gnu::packed]] Q6_K {
  uint8_t low[64 * 2];   // byte 64 h + i: weight 128 h + i low, 128 h + 64 + i high
  uint8_t high[32 * 2];  // byte 32 h + i, bits 2 j: bits 4 and 5 of weight 128 h + 32 j + i
  int8_t scales[16];     // of 16 weights
  uint16_t scale;
};
struct [[gnu::packed]] IQ4_NL {
  uint16_t scale;
  uint8_t codes[16];
};

static_assert(sizeof(Q4_0) == 18 && sizeof(Q4_1) == 20 && sizeof(Q5_0) == 22 && sizeof(Q5_1) == 24);
static_assert(sizeof(Q8_0) == 34 && sizeof(IQ4_NL) == 18 && sizeof(Q2_K) == 84 && sizeof(Q3_K) == 110);
static_assert(sizeof(Q4_K) == 144 && sizeof(Q5_K) == 176 && sizeof(Q6_K) == 210);

}  // namespace hb::gguf
