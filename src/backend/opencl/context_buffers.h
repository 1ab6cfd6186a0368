// The device memory of one context: activations, scratch, what the host tells about a batch, and the KV
// cache.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/opencl/device.h"
#include "plan/plan.h"

namespace hb::opencl {

// Rows that a kernel may touch beyond the batch's own: matvecs serve columns eight at a time.
inline constexpr uint32_t kRowPadding = 8;

inline constexpr uint32_t kSpan = 256;  // positions of attention that share a tree

// F32: (rows, width) floats at `data`. Q8: codes (rows, width) bytes at `data`, and `meta`, (rows, width /
// 32) of four words: scale, weighted sum, the sums of both halves.
struct DeviceActivation {
  Buffer data;
  Buffer meta;
};

// (positions, kv_heads, head_dim) f16 each: the canonical form.
struct DeviceCacheLayer {
  uint32_t width;  // kv_heads * head_dim
  Buffer keys;
  Buffer values;
};

class ContextBuffers {
 public:
  // ERRORS: kOutOfMemory, kUnsupported (a buffer is larger than the device allows), kDevice.
  static Result<ContextBuffers> create(const Plan& plan, const ContextOptions& options, Queue& queue);

  // Makes room for `rows` output rows; true if buffers have moved. The output buffers' old contents are lost.
  Result<bool> reserve_outputs(uint32_t rows, const Plan& plan, Queue& queue);

  // Writes what kernels read about a batch.
  Status set_batch(const Batch& batch, const Plan& plan, Queue& queue);

  const DeviceActivation& activation(BufferId id) const { return activations_[id]; }
  const std::vector<DeviceCacheLayer>& cache() const { return cache_; }
  const Buffer& batch() const { return batch_; }
  const Buffer& angles(uint32_t table) const { return angles_[table]; }
  const Buffer& up_products() const { return up_products_; }
  const Buffer& scores() const { return scores_; }
  // Rows of a batch whose attention runs at a time, and floats between the scores of two heads.
  uint32_t attention_rows() const { return attention_rows_; }
  uint32_t score_stride() const { return score_stride_; }

 private:
  Status make_activations(const Plan& plan, bool output_rows, uint32_t rows, Queue& queue);
  Status make_scratch(const Plan& plan, const ContextOptions& options, Queue& queue);
  Status make_cache(const Plan& plan, const ContextOptions& options, Queue& queue);

  std::vector<DeviceActivation> activations_;
  uint32_t output_capacity_ = 0;
  Buffer up_products_, scores_, batch_;
  std::vector<Buffer> angles_;  // (max_batch, pairs) of cos, sin, one a rope table
  uint32_t attention_rows_ = 0;
  uint32_t score_stride_ = 0;
  std::vector<DeviceCacheLayer> cache_;
};

}  // namespace hb::opencl
