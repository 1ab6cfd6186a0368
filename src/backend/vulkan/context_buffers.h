// The device memory of one context: activations, scratch, what the host tells about a batch, and the KV
// cache.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/memory.h"
#include "backend/vulkan/transfer.h"
#include "plan/plan.h"

namespace hb::vulkan {

// Rows that a kernel may touch beyond the batch's own: matvecs serve columns four at a time.
inline constexpr uint32_t kRowPadding = 4;

inline constexpr uint32_t kArgmaxParts = 64;  // of a row of logits: work-groups of argmax_parts.comp

inline constexpr uint32_t kSpan = 256;  // positions of attention that share a tree

// Rows of f16, two in a word; heads are padded to whole words.
struct DeviceCacheLayer {
  uint32_t kv_heads;
  uint32_t head_dim;
  Buffer keys;
  Buffer values;

  uint32_t head_words() const { return (head_dim + 1) / 2; }
  uint64_t row_bytes() const { return uint64_t{4} * kv_heads * head_words(); }
};

// F32: (rows, width) floats at `data`. Q8: codes (rows, width) bytes at `data`, and `meta`, (rows, width /
// 32) of kMetaWords words: shaders/activations.glsl.
inline constexpr uint32_t kMetaWords = 8;
inline constexpr uint32_t kMetaBytes = 4 * kMetaWords;
struct DeviceActivation {
  BufferRange data;
  BufferRange meta;
};

class ContextBuffers {
 public:
  // BORROWS the plan and the commands. ERRORS: kOutOfMemory, kUnsupported (a buffer is larger than a binding
  // may be).
  static Result<ContextBuffers> create(const Plan& plan, const ContextOptions& options, Memory& memory,
                                       Commands& commands);

  // Makes room for the logits of `rows` rows; true if buffers have moved. The output buffers' old contents
  // are lost.
  Result<bool> reserve_outputs(uint32_t rows, const Plan& plan, Memory& memory);

  // Writes what kernels read about a batch, and the rotary angles of `positions` positions from its first.
  // REQUIRES: nothing of this context runs.
  void set_batch(const Batch& batch, uint32_t positions, const Plan& plan);

  const DeviceActivation& activation(BufferId id) const { return activations_[id]; }
  const DeviceCacheLayer& cache(uint32_t layer) const { return cache_[layer]; }
  const std::vector<DeviceCacheLayer>& cache() const { return cache_; }
  BufferRange batch() const { return whole(batch_); }
  BufferRange angles(uint32_t table) const { return angle_ranges_[table]; }
  BufferRange up_products() const { return up_products_; }
  BufferRange scores() const { return scores_; }
  BufferRange argmax_parts() const { return argmax_parts_; }
  BufferRange chosen_range() const { return whole(chosen_); }
  // Tokens that the device has chosen in one submission.
  const uint32_t* chosen() const { return reinterpret_cast<const uint32_t*>(chosen_.mapped()); }
  BufferRange maxima() const { return maxima_; }
  BufferRange partial() const { return partial_; }
  // Rows of a batch whose attention runs at a time: the scratch buffers' size.
  uint32_t attention_rows() const { return attention_rows_; }
  uint32_t spans() const { return spans_; }

  Transfer& transfer() { return *transfer_; }
  // The buffer that holds an activation, for transfers.
  const Buffer& owner(const BufferRange& range) const {
    return range.buffer == outputs_.handle() ? outputs_ : rows_;
  }

 private:
  Status make_activations(const Plan& plan, bool output_rows, uint32_t rows, Memory& memory, Buffer& buffer);
  Status make_scratch(const Plan& plan, const ContextOptions& options, Memory& memory);
  Status make_cache(const Plan& plan, const ContextOptions& options, Memory& memory);
  Status make_batch(const Plan& plan, const ContextOptions& options, Memory& memory);

  std::vector<DeviceActivation> activations_;
  Buffer rows_;     // buffers with a row a token
  Buffer outputs_;  // buffers with a row an output
  uint32_t output_capacity_ = 0;
  Buffer scratch_;
  BufferRange up_products_, scores_, maxima_, partial_, argmax_parts_;
  uint32_t attention_rows_ = 0;
  uint32_t spans_ = 0;
  std::vector<DeviceCacheLayer> cache_;
  Buffer batch_;
  Buffer chosen_;
  Buffer angles_;
  std::vector<BufferRange> angle_ranges_;  // one a rope table
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace hb::vulkan
