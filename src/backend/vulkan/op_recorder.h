// A plan as a list of dispatches: one function an op.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/vulkan/context_buffers.h"
#include "backend/vulkan/device_weights.h"
#include "backend/vulkan/recording.h"

namespace hb::vulkan {

// The batches that a recording serves: a token with its logits, or up to `rows` tokens with any number of
// outputs.
struct BatchClass {
  bool single = true;
  uint32_t rows = 1;
  bool feeds_itself =
      false;  // a single one: ends with the choice of the next token, and may be submitted many times

  friend auto operator<=>(const BatchClass&, const BatchClass&) = default;
};

// The smallest class that holds a batch: sizes grow by 8, so that a context has few recordings.
BatchClass batch_class(uint32_t rows, uint32_t outputs, uint32_t max_batch);

// BORROWS everything.
struct RecordingInputs {
  const Plan& plan;
  const std::vector<DeviceWeight>& weights;
  const ContextBuffers& buffers;
  const DeviceFacts& facts;
  std::span<const std::string> forced_kernels;
};

// ERRORS: kUnsupported (no kernel fits).
Result<std::vector<Dispatch>> record_plan(const RecordingInputs& inputs, const BatchClass& batch_class);

}  // namespace hb::vulkan
