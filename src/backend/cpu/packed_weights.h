// The weights of a plan as the CPU kernels read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_shared.h"
#include "base/aligned_buffer.h"
#include "base/error.h"

namespace hb::cpu {

// A matrix in tiles (tile_layout.h), or a vector as settled floats.
struct PackedWeight {
  TensorType type;
  uint32_t rows;
  uint32_t cols;
  bool is_vector;     // norm weights and biases: data holds cols floats
  size_t tile_bytes;  // of a matrix
  std::span<uint8_t> data;

  const uint8_t* tile(uint32_t index) const { return data.data() + index * tile_bytes; }
  const float* vector() const { return reinterpret_cast<const float*>(data.data()); }
};

// All weights in one buffer, in the plan's order: matrices one by one are too small for huge pages to cover
// them, and then reading is slower by a quarter.
struct PackedWeights {
  AlignedBuffer storage;
  std::vector<PackedWeight> weights;  // BORROW from storage
};

// Packs every weight on the pool, checking it against the contract's ranges, and reports each to `options`
// when done. ERRORS: kBadFile (naming weight and row), kOutOfMemory, kCancelled.
Result<PackedWeights> pack_weights(const Plan& plan, const CompileOptions& options, Shared& shared);

}  // namespace hb::cpu
