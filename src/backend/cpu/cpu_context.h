// A running plan on the CPU: activations, cache, and one function an op.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/activations.h"
#include "backend/cpu/attention.h"
#include "backend/cpu/cpu_shared.h"
#include "backend/cpu/kv_cache.h"
#include "backend/cpu/packed_weights.h"

namespace hb::cpu {

class CpuContext final : public ExecutionContext {
 public:
  // BORROWS all but options. ERRORS: kOutOfMemory.
  static Result<std::unique_ptr<ExecutionContext>> create(const Plan& plan,
                                                          const std::vector<PackedWeight>& weights,
                                                          Shared& shared, const ContextOptions& options);

  uint32_t capacity() const override { return cache_.capacity(); }
  uint32_t max_batch() const override { return max_batch_; }
  Status forward(const Batch& batch) override;
  std::span<const float> logits() override;
  Result<std::vector<float>> read_buffer(BufferId buffer) override;
  Status write_buffer(BufferId buffer, std::span<const float> values) override;
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override;
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override;

 private:
  CpuContext(const Plan& plan, const std::vector<PackedWeight>& weights, Shared& shared)
      : plan_(plan), weights_(weights), shared_(shared) {}

  Status run_ops(const Batch& batch);
  Status set_rows(const Batch& batch);
  void set_rope_rows(const Batch& batch);

  void run(const EmbedOp& op, const Batch& batch);
  void run(const RmsNormOp& op, const Batch& batch);
  void run(const QuantiseOp& op, const Batch& batch);
  void run(const RopeOp& op, const Batch& batch);
  void run(const CacheWriteOp& op, const Batch& batch);
  void run(const AttentionOp& op, const Batch& batch);
  void run(const OutputRowsOp& op, const Batch& batch);
  void run(const SoftcapOp& op, const Batch& batch);
  void run(const ScaleOp& op, const Batch& batch);

  void quantise(std::span<const float> rows, Activation& out);

  // Calls f(row) for every row, in chunks of rows on the pool; a few rows at once on this thread.
  template <class F>
  void for_each_row(uint32_t rows, F&& f);

  const Plan& plan_;
  const std::vector<PackedWeight>& weights_;
  Shared& shared_;
  uint32_t max_batch_ = 0;
  std::vector<Activation> activations_;
  std::vector<RopeRows> rope_rows_;  // of the batch's positions, one a table
  KvCache cache_;
  Attention attention_;
};

}  // namespace hb::cpu
