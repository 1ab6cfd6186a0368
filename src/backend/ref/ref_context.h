// Runs a plan op by op, row by row.
#pragma once

#include <vector>

#include "backend/backend.h"
#include "backend/ref/ref_attention.h"
#include "quant/activation.h"

namespace hb::ref {

class RefContext final : public ExecutionContext {
 public:
  // BORROWS `plan` and the bytes of its weights.
  RefContext(const Plan& plan, const ContextOptions& options);

  uint32_t capacity() const override { return options_.capacity; }
  uint32_t max_batch() const override { return options_.max_batch; }
  Status forward(const Batch& batch) override;
  std::span<const float> logits() override;
  Result<std::vector<float>> read_buffer(BufferId buffer) override;
  Status write_buffer(BufferId buffer, std::span<const float> values) override;
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override;
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override;

 private:
  // The values of a PlanBuffer: (rows, width) floats, or (rows, width / 32) blocks.
  struct Tensor {
    uint32_t rows = 0;
    std::vector<float> floats;
    std::vector<ActivationBlock> blocks;
  };
  // (positions, kv_heads, head_dim) f16 each.
  struct CacheTensors {
    std::vector<uint16_t> keys;
    std::vector<uint16_t> values;
  };

  Status run_ops(const Batch& batch);
  void run(const EmbedOp& op, const Batch& batch);
  void run(const RmsNormOp& op, const Batch& batch);
  void run(const QuantiseOp& op, const Batch& batch);
  void run(const MatvecOp& op, const Batch& batch);
  void run(const RopeOp& op, const Batch& batch);
  void run(const CacheWriteOp& op, const Batch& batch);
  void run(const AttentionOp& op, const Batch& batch);
  void run(const OutputRowsOp& op, const Batch& batch);
  void run(const SoftcapOp& op, const Batch& batch);
  void run(const ScaleOp& op, const Batch& batch);

  // The products of one weight row with every row of `in`.
  std::vector<float> products(const PlanWeight& weight, uint32_t row, BufferId in) const;

  void resize(BufferId buffer, uint32_t rows);
  std::span<float> row(BufferId buffer, uint32_t index);
  std::span<const float> row(BufferId buffer, uint32_t index) const;
  // nullptr for kNone.
  const float* optional_row(BufferId buffer, uint32_t index) const;
  uint32_t cache_width(uint32_t layer) const;

  const Plan& plan_;
  ContextOptions options_;
  std::vector<Tensor> tensors_;
  std::vector<CacheTensors> cache_;
};

}  // namespace hb::ref
