// A sequence that survives its device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "backend/backend.h"

namespace hb::fallback {

// The executable of the second backend, compiled when first asked for. `why`: the failure of the first.
using SecondExecutable = std::function<Result<Executable*>(const Error& why)>;

class FallbackContext final : public ExecutionContext {
 public:
  FallbackContext(std::unique_ptr<ExecutionContext> context, const ContextOptions& options,
                  SecondExecutable second)
      : context_(std::move(context)), options_(options), second_(std::move(second)) {}

  uint32_t capacity() const override { return context_->capacity(); }
  uint32_t max_batch() const override { return context_->max_batch(); }
  Status forward(const Batch& batch) override;
  Result<std::vector<int32_t>> decode_greedily(int32_t token, uint32_t position, uint32_t count) override;
  std::span<const float> logits() override { return context_->logits(); }
  Result<std::vector<float>> read_buffer(BufferId buffer) override { return context_->read_buffer(buffer); }
  Status write_buffer(BufferId buffer, std::span<const float> values) override;
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override;
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override;

 private:
  // Rows that came from outside, as a session's file.
  struct WrittenRows {
    uint32_t position;
    uint32_t count;
    std::vector<uint16_t> rows;
  };

  // True for failures after which another device may succeed.
  bool may_move(const Error& error) const { return !moved_ && error.code == ErrorCode::kDevice; }
  // Goes on with the second backend, its cache filled for the positions before `count`.
  Status move(const Error& why, uint32_t count);
  Status evaluate_again(ExecutionContext& context, uint32_t begin, uint32_t end) const;
  bool has_token(uint32_t position) const;
  void remember(std::span<const int32_t> tokens, uint32_t position);

  std::unique_ptr<ExecutionContext> context_;
  ContextOptions options_;
  SecondExecutable second_;
  bool moved_ = false;
  std::vector<int32_t> tokens_;       // evaluated at each position; kNoToken where rows were written
  std::vector<WrittenRows> written_;  // in the order of writing
  std::map<BufferId, std::vector<float>> inputs_;  // of the next forward()
};

}  // namespace hb::fallback
