// The weights of a plan in device memory: the tiles of backend/cpu/tile_layout.h, in as many buffers as the
// largest allocation asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/opencl/device.h"
#include "base/thread_pool.h"

namespace hb::opencl {

// Tiles [first_tile, first_tile + tiles) of a matrix; of a vector everything.
struct WeightPart {
  uint32_t first_tile;
  uint32_t tiles;
  Buffer buffer;
};

// A matrix in tiles, or a vector (norm weights, biases) as floats.
struct DeviceWeight {
  TensorType type;
  uint32_t rows;
  uint32_t cols;
  std::vector<WeightPart> parts;

  const Buffer& vector() const { return parts.front().buffer; }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const WeightPart& part : parts) sum += part.buffer.size();
    return sum;
  }
};

struct WeightUpload {
  Queue& queue;
  ThreadPool& pool;  // packs
};

// Packs every weight from the mapped file into mapped device memory, checking it against the contract's
// ranges. ERRORS: kBadFile (naming weight and row), kOutOfMemory, kUnsupported, kDevice.
Result<std::vector<DeviceWeight>> upload_weights(const Plan& plan, const CompileOptions& options,
                                                 const WeightUpload& upload);

}  // namespace hb::opencl
