// A running plan on the device: its buffers, and a recording for each size of batch.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/context_buffers.h"
#include "backend/vulkan/device_weights.h"
#include "backend/vulkan/op_recorder.h"
#include "backend/vulkan/recording.h"

namespace hb::vulkan {

// What a backend, its executables and their contexts have in common.
struct Shared {
  std::shared_ptr<Device> device;
  std::shared_ptr<Pipelines> pipelines;
  std::unique_ptr<Memory> memory;
  std::vector<std::string> forced_kernels;
  std::atomic<uint64_t> recordings = 0;  // made so far
};

// Rows of a batch that one submission takes: a phone's system kills what keeps its GPU for seconds.
uint32_t largest_batch(const DeviceFacts& facts);

class VulkanContext final : public ExecutionContext {
 public:
  // BORROWS all but options. ERRORS: kOutOfMemory, kUnsupported, kDevice.
  static Result<std::unique_ptr<ExecutionContext>> create(const Plan& plan,
                                                          const std::vector<DeviceWeight>& weights,
                                                          Shared& shared, const ContextOptions& options);

  uint32_t capacity() const override { return options_.capacity; }
  uint32_t max_batch() const override { return options_.max_batch; }
  Status forward(const Batch& batch) override;
  Result<std::vector<int32_t>> decode_greedily(int32_t token, uint32_t position, uint32_t count) override;
  std::span<const float> logits() override;
  Result<std::vector<float>> read_buffer(BufferId buffer) override;
  Status write_buffer(BufferId buffer, std::span<const float> values) override;
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override;
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override;

 private:
  VulkanContext(const Plan& plan, const std::vector<DeviceWeight>& weights, Shared& shared, Commands commands)
      : plan_(plan), weights_(weights), shared_(shared), commands_(std::move(commands)) {}

  Status reserve_outputs(uint32_t rows);
  Result<Recording*> recording_for(const BatchClass& wanted);
  // Submits the recording `times` times, then the logits' way to the host.
  Status run(Recording& recording, uint32_t times, uint32_t outputs);
  void set_rows(uint32_t rows, uint32_t outputs);

  const Plan& plan_;
  const std::vector<DeviceWeight>& weights_;
  Shared& shared_;
  ContextOptions options_;
  Commands commands_;
  ContextBuffers buffers_;
  std::map<BatchClass, Recording> recordings_;
  std::vector<uint32_t> rows_;  // of each buffer
  Buffer logits_;               // on the host
  uint32_t logit_rows_ = 0;
};

}  // namespace hb::vulkan
