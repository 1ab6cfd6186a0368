// Loop bodies over the compiler's vectors, built once for each instruction set. All is local to the including
// file, so that no two of them share a function built with other flags.
#pragma once

#include <cstdint>

namespace hb::roofline {
namespace {

// Hides from the compiler that a value does not change.
template <class T>
inline void opaque(T& value) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(value));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

constexpr uint64_t kReadAhead = 4096;  // bytes

typedef uint64_t Bytes64 __attribute__((vector_size(64)));

// Reads `count` bytes, 256 at a time, asking for memory kAhead bytes ahead (0: leaves that to the CPU). Which
// of the two is faster differs from CPU to CPU, so both are measured.
template <uint64_t kAhead>
inline uint64_t read_bytes(const uint8_t* data, uint64_t count) {
  const auto* line = reinterpret_cast<const Bytes64*>(data);
  Bytes64 seen[4] = {};
  for (uint64_t i = 0; i < count / 64; i += 4) {
    for (int j = 0; j < 4; ++j) {
      if (kAhead != 0) __builtin_prefetch(data + (i + j) * 64 + kAhead);  // harmless past the end
      seen[j] |= line[i + j];
    }
  }
  const Bytes64 all = seen[0] | seen[1] | seen[2] | seen[3];
  uint64_t result = 0;
  for (int j = 0; j < 8; ++j) result |= all[j];
  return result;
}

// The sum of the int32 lanes of all chains: what a dot loop returns, so that tests can check that it did its
// work.
template <class Vector, int kChains>
inline uint64_t sum_lanes(const Vector (&chains)[kChains]) {
  uint32_t sum = 0;
  for (const Vector& chain : chains) {
    uint32_t lanes[sizeof(Vector) / sizeof(uint32_t)];
    __builtin_memcpy(lanes, &chain, sizeof(Vector));
    for (const uint32_t lane : lanes) sum += lane;
  }
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(sum)});
}

struct Wide16 {
  typedef float Floats __attribute__((vector_size(16)));
};
struct Wide32 {
  typedef float Floats __attribute__((vector_size(32)));
};
struct Wide64 {
  typedef float Floats __attribute__((vector_size(64)));
};

// kChains independent x = x * a + b over vectors, enough of them to hide the latency.
template <class Wide, int kChains>
inline uint64_t multiply_add(uint64_t count) {
  using Floats = typename Wide::Floats;
  Floats scale = Floats{} + 0.5f, offset = Floats{} + 1.0f;
  Floats chain[kChains];
  for (int j = 0; j < kChains; ++j) chain[j] = Floats{} + static_cast<float>(j);
  opaque(scale);
  opaque(offset);
  for (uint64_t i = 0; i < count; ++i) {
#pragma GCC unroll 32
    for (int j = 0; j < kChains; ++j) chain[j] = chain[j] * scale + offset;
  }
  Floats sum = chain[0];
  for (int j = 1; j < kChains; ++j) sum += chain[j];
  return static_cast<uint64_t>(sum[0]);
}

}  // namespace
}  // namespace hb::roofline
