// The kernels of kernels.def, and which one runs what: a pure function of the device's facts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backend/vulkan/device_facts.h"
#include "base/error.h"
#include "quant/tensor_type.h"

namespace hb::vulkan {

enum class KernelOp : uint8_t {
  kEmbed,
  kRmsNorm,
  kQuantise,
  kMatvec,
  kRope,
  kCacheWrite,
  kAttentionScores,
  kAttentionValues,
  kAttentionJoin,
  kOutputRows,
  kSoftcap,
  kScale,
  kArgmaxParts,
  kArgmaxFeed,
  kFunctionsTest,  // for tests: exact.glsl function by function
};

// What a kernel needs beyond check_usable(), as bits.
enum KernelFeature : uint32_t {
  kNoFeature = 0,
  kStorage16 = 1,
  kStorage8 = 2,
  kSubgroupShuffle = 4,
  kDotMixed = 8,
  kDotSigned = 16,
};
uint32_t features_of(const DeviceFacts& facts);

struct Kernel {
  const char* name;
  KernelOp op;
  std::optional<TensorType> type;  // of the weights that it reads
  uint32_t columns;                // rows of the batch that an invocation of a matvec serves
  uint32_t needs;                  // KernelFeature bits
  std::span<const uint32_t> spirv;
};

std::span<const Kernel> kernels();
const Kernel* find_kernel(const std::string& name);

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
// ERRORS: kUnsupported (no kernel for that, or a forced one needs what the device lacks).
Result<KernelSelection> choose_kernel(const DeviceFacts& facts, const KernelRequest& request,
                                      std::span<const std::string> forced);

}  // namespace hb::vulkan
