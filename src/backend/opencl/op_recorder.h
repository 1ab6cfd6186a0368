// A plan as a list of dispatches: one function an op.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/opencl/context_buffers.h"
#include "backend/opencl/device_weights.h"
#include "backend/opencl/recording.h"

namespace hb::opencl {

// BORROWS everything.
struct RecordingInputs {
  const Plan& plan;
  const std::vector<DeviceWeight>& weights;
  const ContextBuffers& buffers;
  const DeviceFacts& facts;
  std::span<const std::string> forced_kernels;
};

// For batches of up to `rows`. ERRORS: kUnsupported (no kernel fits).
Result<std::vector<Dispatch>> record_plan(const RecordingInputs& inputs, uint32_t rows);

}  // namespace hb::opencl
