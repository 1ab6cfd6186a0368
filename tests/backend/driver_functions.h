// The exact functions that drivers are held against: inputs for each, and what C++ makes of them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/exact_math.h"
#include "base/half.h"
#include "support/test_data.h"

namespace hb::testing {

inline constexpr uint32_t kCount = 1u << 21;  // inputs of a function

// Bits with an exponent in [low, high], as of a float; 127 is the exponent of 1.
struct Exponents {
  uint32_t low, high;
  bool negative;  // too
};

struct Function {
  const char* name;
  Exponents inputs;
  uint32_t (*evaluate)(uint32_t bits);
};

template <float (*kF)(float)>
uint32_t on_bits(uint32_t bits) {
  return std::bit_cast<uint32_t>(kF(std::bit_cast<float>(bits)));
}

// In the order of functions_test.comp and functions_test.cl.
inline constexpr Function kFunctions[] = {
    {"settle", {60, 200, true}, on_bits<[](float x) { return exact::settle(x); }>},
    {"rcp", {27, 227, true}, on_bits<[](float x) { return exact::rcp(x); }>},
    {"rsqrt", {7, 247, false}, on_bits<[](float x) { return exact::rsqrt(x); }>},
    {"exp", {100, 135, true}, on_bits<[](float x) { return exact::exp(x); }>},
    {"sigmoid", {100, 135, true}, on_bits<[](float x) { return exact::sigmoid(x); }>},
    {"silu", {100, 135, true}, on_bits<[](float x) { return exact::silu(x); }>},
    {"gelu", {100, 135, true}, on_bits<[](float x) { return exact::gelu(x); }>},
    {"tanh", {100, 135, true}, on_bits<[](float x) { return exact::tanh(x); }>},
    {"half_to_float", {0, 255, true}, [](uint32_t bits) { return half_to_float_bits(bits & 0xffffu); }},
    {"float_to_half", {0, 255, true}, float_bits_to_half},
};

inline std::vector<uint32_t> make_inputs(const Exponents& exponents) {
  Random random(exponents.low);
  std::vector<uint32_t> bits(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t exponent = exponents.low + random.below(exponents.high - exponents.low + 1);
    const uint32_t mantissa = i % 4 == 0 ? random.below(8) << 20 : random.below(1u << 23);  // ties, too
    bits[i] = exponent << 23 | mantissa | (exponents.negative && random.below(2) ? 0x80000000u : 0u);
  }
  return bits;
}

}  // namespace hb::testing
