// What every CPU of the architecture has.
#include "lab/roofline-inl.h"

namespace hb::roofline {

uint64_t read_baseline(const uint8_t* data, uint64_t count) { return read_bytes<0>(data, count); }
uint64_t read_baseline_ahead(const uint8_t* data, uint64_t count) {
  return read_bytes<kReadAhead>(data, count);
}

uint64_t f32_baseline(const uint8_t*, uint64_t count) { return multiply_add<Wide16, 12>(count); }

// Plain C++: the compiler makes of it what the architecture has. 512 products a round.
uint64_t dot_baseline(const uint8_t*, uint64_t count) {
  alignas(64) int8_t weights[512], inputs[512];
  for (int j = 0; j < 512; ++j) {
    weights[j] = 7;
    inputs[j] = -3;
  }
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    asm volatile("" : : "r"(weights), "r"(inputs) : "memory");
    int32_t block = 0;
    for (int j = 0; j < 512; ++j) block += weights[j] * inputs[j];
    sum += block;
  }
  return static_cast<uint64_t>(sum);
}

}  // namespace hb::roofline
