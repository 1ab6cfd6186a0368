// The kernels of kernels.def, and which one runs what: a pure function of the device's facts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/opencl/device_facts.h"
#include "base/error.h"
#include "quant/tensor_type.h"

namespace hb::opencl {

enum class KernelOp : uint8_t {
  kEmbed,
  kRmsNorm,
  kQuantise,
  kMatvec,
  kRope,
  kCacheWrite,
  kAttention,
  kOutputRows,
  kSoftcap,
  kScale,
  kFunctionsTest,  // for tests: exact.clh function by function
};

struct Kernel {
  const char* name;
  KernelOp op;
  std::optional<TensorType> type;  // of the weights that it reads
  uint32_t columns;                // rows of the batch that a work-item of a matvec serves
  const char* source;              // kernels/SOURCE.cl
  const char* entry;               // the __kernel function
};

std::span<const Kernel> kernels();
const Kernel* find_kernel(const std::string& name);

// The program's text: its includes in place, each file once. REQUIRES: a row of kernels.def.
std::string kernel_source(const Kernel& kernel);

// The options that the program is built with: -cl-std and -D, and never another.
std::string build_options(const Kernel& kernel);

struct KernelRequest {
  KernelOp op;
  std::optional<TensorType> type;  // for embed and matvec
  uint32_t rows = 1;               // of the batch, at most
};

struct KernelSelection {
  const Kernel* kernel;
  std::string reason;
};

// The kernel for a request. `forced`: names of kernels that win where they fit the request.
// ERRORS: kUnsupported (no kernel for that).
Result<KernelSelection> choose_kernel(const DeviceFacts& facts, const KernelRequest& request,
                                      std::span<const std::string> forced);

}  // namespace hb::opencl
