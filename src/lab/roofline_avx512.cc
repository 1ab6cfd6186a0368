#include "lab/roofline-inl.h"

namespace hb::roofline {

uint64_t read_avx512(const uint8_t* data, uint64_t count) { return read_bytes<0>(data, count); }
uint64_t read_avx512_ahead(const uint8_t* data, uint64_t count) {
  return read_bytes<kReadAhead>(data, count);
}

uint64_t f32_avx512(const uint8_t*, uint64_t count) { return multiply_add<Wide64, 24>(count); }

}  // namespace hb::roofline
