// The weights of a plan in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/memory.h"
#include "backend/vulkan/weight_layout.h"
#include "base/thread_pool.h"

namespace hb::vulkan {

// A matrix in sections (weight_layout.h), or a vector as floats.
struct DeviceWeight {
  TensorType type;
  uint32_t rows;
  uint32_t cols;
  bool is_vector;  // norm weights and biases
  WeightLayout layout;
  Buffer buffer;
  uint64_t section_offset[kSections];
  uint32_t groups_per_binding;  // as many row groups as one binding may hold

  // Row groups [first, first + count) of a section; an empty range if the format has none.
  BufferRange section(uint32_t index, uint32_t first, uint32_t count) const;
};

struct WeightUpload {
  Memory& memory;
  Commands& commands;
  ThreadPool& pool;  // packs
};

// Packs every weight from the mapped file to the device, checking it against the contract's ranges.
// ERRORS: kBadFile (naming weight and row), kOutOfMemory, kUnsupported, kDevice.
Result<std::vector<DeviceWeight>> upload_weights(const Plan& plan, const CompileOptions& options,
                                                 const WeightUpload& upload);

}  // namespace hb::vulkan
