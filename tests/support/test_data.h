// Deterministic test data: activations and weights, ordinary ones and those at the edges of the contract's
// ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quant/tensor_type.h"

namespace hb::testing {

inline constexpr TensorType kQuantisedTypes[] = {TensorType::kQ4_0, TensorType::kQ4_1, TensorType::kQ5_0,
                                                 TensorType::kQ5_1, TensorType::kQ8_0, TensorType::kIQ4_NL,
                                                 TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K,
                                                 TensorType::kQ5_K, TensorType::kQ6_K};
inline constexpr TensorType kFloatTypes[] = {TensorType::kF32, TensorType::kF16, TensorType::kBF16};

// A counter through a bijective 64-bit mix (splitmix64): the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }
  float uniform(float low, float high);
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T, size_t kSize>
  T pick(const T (&choices)[kSize]) {
    return choices[below(kSize)];
  }

 private:
  uint64_t state_;
};

enum class Activations {
  kPlain,   // most within [-1, 1], some up to 8
  kSpread,  // exponents from -44 to 39
  kHuge,    // 2^20 to 2^40
  kTiny,    // multiples of 2^-44 and their neighbours
  kSparse,  // blocks of zeros, and single values
  kTies,    // half integers, whose blocks have the scale 1
};
inline constexpr Activations kAllActivations[] = {Activations::kPlain,  Activations::kSpread,
                                                  Activations::kHuge,   Activations::kTiny,
                                                  Activations::kSparse, Activations::kTies};

// All are as an op would store them: +0 or of a magnitude in [2^-44, 2^40].
std::vector<float> make_activations(Random& random, Activations kind, size_t count);

enum class Weights {
  kPlain,    // random codes, scales about 2^-6, minimums likewise
  kCentred,  // as kPlain, with positive scales and the minimums that make the mean about 0, like a model's
  kEdges,    // scales and values +-0, denormal, smallest, largest
};
// The bytes of (rows, cols) weights. Every bit pattern of the codes and of integer group scales occurs.
std::vector<uint8_t> make_weights(Random& random, TensorType type, uint32_t rows, uint32_t cols,
                                  Weights kind);

// f16 bits: plain values within [-2, 2] and, one in eight, any finite pattern.
std::vector<uint16_t> make_halves(Random& random, size_t count);

// The byte offsets of the f16 fields (scale, then minimum) of a quantised type's block.
std::span<const uint32_t> scale_offsets(TensorType type);

}  // namespace hb::testing
