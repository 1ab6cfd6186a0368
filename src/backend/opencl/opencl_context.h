// A running plan on the device: its buffers, its queue, and its recordings.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/opencl/context_buffers.h"
#include "backend/opencl/device_weights.h"
#include "backend/opencl/op_recorder.h"
#include "backend/opencl/recording.h"

namespace hb::opencl {

// What a backend, its executables and their contexts have in common.
struct Shared {
  std::shared_ptr<Device> device;
  std::unique_ptr<Programs> programs;
  std::vector<std::string> forced_kernels;
  EnqueueOptions enqueue;
};

class OpenclContext final : public ExecutionContext {
 public:
  // BORROWS all but options. ERRORS: kOutOfMemory, kUnsupported, kDevice.
  static Result<std::unique_ptr<ExecutionContext>> create(const Plan& plan,
                                                          const std::vector<DeviceWeight>& weights,
                                                          Shared& shared, const ContextOptions& options);

  uint32_t capacity() const override { return options_.capacity; }
  uint32_t max_batch() const override { return options_.max_batch; }
  Status forward(const Batch& batch) override;
  std::span<const float> logits() override { return logits_; }
  Result<std::vector<float>> read_buffer(BufferId buffer) override;
  Status write_buffer(BufferId buffer, std::span<const float> values) override;
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override;
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override;

 private:
  OpenclContext(const Plan& plan, const std::vector<DeviceWeight>& weights, Shared& shared, Queue queue)
      : plan_(plan), weights_(weights), shared_(shared), queue_(std::move(queue)) {}

  Status reserve_outputs(uint32_t rows);
  Result<const Recording*> recording_for(uint32_t rows);
  Status read_logits(uint32_t rows);

  const Plan& plan_;
  const std::vector<DeviceWeight>& weights_;
  Shared& shared_;
  ContextOptions options_;
  Queue queue_;
  ContextBuffers buffers_;
  std::optional<Recording> single_, many_;  // for a token, for batches
  std::vector<uint32_t> rows_;              // of each buffer
  std::vector<float> logits_;
};

}  // namespace hb::opencl
