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
  kHalfCheck,
  kFunctionsTest,  // for tests: exact.glsl function by function
};

// What a kernel needs beyond check_usable(), as bits.
enum KernelFeature : uint32_t {
  kNoFeature = 0,
  kStorage16 = 1,
  kStorage8 = 2,
  kSubgroupShuffle = 4,
  kDotProduct = 8,     // at whatever speed
  kHalf = 16,          // half-precision values
  kHalfHardware = 32,  // likewise, converted as the contract does
  kTexel = 64,         // weights and activations as texel buffers
};

// What makes a kernel worth while, beyond running: the choice wants it, a forced kernel does not.
enum KernelWorth : uint32_t {
  kAlways = 0,
  kDotMixed = 1,      // products of unsigned and signed bytes are accelerated
  kDotSigned = 2,     // products of signed bytes are
  kVectorTexels = 4,  // texel buffers load 16 bytes at once, storage buffers 4: Adreno 610 to 650
};
uint32_t worth_of(const DeviceFacts& facts);

uint32_t features_of(const DeviceFacts& facts);

struct Kernel {
  const char* name;
  KernelOp op;
  std::optional<TensorType> type;  // of the weights that it reads
  uint32_t columns;                // rows of the batch that an invocation of a matvec serves
  uint32_t needs;                  // KernelFeature bits
  uint32_t worth;                  // KernelWorth bits
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
