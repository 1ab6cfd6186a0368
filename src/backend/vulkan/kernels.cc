#include "backend/vulkan/kernels.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "backend/vulkan/embedded_shaders.h"

namespace hb::vulkan {
namespace {

constexpr uint32_t kQualcomm = 0x5143;
// Parts of the device's id: generation and model, some with a revision.
constexpr uint32_t kAdreno6 = 0x06, kAdreno8 = 0x44;
constexpr uint32_t kAdreno660 = 0x0606, kAdreno690 = 0x0609;
constexpr uint32_t kAdreno643 = 0x060305, kAdreno750 = 0x430514;
constexpr uint64_t kSmallestTexel = 8;  // bytes: scales

bool fits(const Kernel& kernel, const KernelRequest& request) {
  return kernel.op == request.op && kernel.type == request.type;
}

// Of two kernels that fit, the one that serves more rows of the batch at a time, unless it would idle.
bool better(const Kernel& kernel, const Kernel& than, uint32_t rows) {
  const bool idles = kernel.columns > rows, other_idles = than.columns > rows;
  if (idles != other_idles) return other_idles;
  if (kernel.columns == than.columns) return std::popcount(kernel.needs) > std::popcount(than.needs);
  return idles ? kernel.columns < than.columns : kernel.columns > than.columns;
}

std::string describe(const KernelRequest& request) {
  return request.type ? tensor_type_name(*request.type) : fmt::format("op {}", static_cast<int>(request.op));
}

}  // namespace

uint32_t features_of(const DeviceFacts& facts) {
  uint32_t features = kNoFeature;
  if (facts.storage_16bit) features |= kStorage16;
  if (facts.storage_8bit) features |= kStorage8;
  if (facts.subgroup_shuffle && facts.subgroup_size >= 16) features |= kSubgroupShuffle;
  if (facts.dot_product) features |= kDotProduct;
  if (facts.float16) features |= kHalf;
  if (facts.half_hardware) features |= kHalfHardware;
  if (facts.texel_elements >= facts.max_storage_range / kSmallestTexel) features |= kTexel;
  return features;
}

uint32_t worth_of(const DeviceFacts& facts) {
  uint32_t worth = kAlways;
  const bool adreno = facts.vendor_id == kQualcomm;
  const uint32_t core = facts.device_id >> 16, revision = facts.device_id >> 8;
  // The eighth generation and the 750 have instructions that Mesa does not tell of.
  const bool eighth = adreno && core >> 8 >= kAdreno8;
  if (facts.dot_mixed || eighth) worth |= kDotMixed;
  if (facts.dot_signed || eighth || (adreno && revision == kAdreno750)) worth |= kDotSigned;
  const bool loads_vectors = core == kAdreno660 || core == kAdreno690 || revision == kAdreno643;
  if (adreno && core >> 8 == kAdreno6 && !loads_vectors) worth |= kVectorTexels;
  return worth;
}

std::span<const Kernel> kernels() {
  static const auto all = std::to_array<Kernel>({
#define HB_VULKAN_KERNEL(name, op, source, needs) \
  {#name, KernelOp::op, std::nullopt, 1, needs, kAlways, spirv_##name},
#define HB_VULKAN_WEIGHT_KERNEL(name, op, type, columns, source, needs) \
  {#name, KernelOp::op, TensorType::type, columns, needs, kAlways, spirv_##name},
#define HB_VULKAN_VARIANT_KERNEL(name, op, type, columns, source, needs, worth, defines) \
  {#name, KernelOp::op, TensorType::type, columns, needs, worth, spirv_##name},
#include "backend/vulkan/kernels.def"
#undef HB_VULKAN_VARIANT_KERNEL
#undef HB_VULKAN_KERNEL
#undef HB_VULKAN_WEIGHT_KERNEL
  });
  return all;
}

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

Result<KernelSelection> choose_kernel(const DeviceFacts& facts, const KernelRequest& request,
                                      std::span<const std::string> forced) {
  const uint32_t has = features_of(facts), worth = worth_of(facts);
  for (const std::string& name : forced) {
    const Kernel* kernel = find_kernel(name);
    if (kernel == nullptr || !fits(*kernel, request)) continue;
    if ((kernel->needs & ~has) == 0) return KernelSelection{kernel, "forced"};
    return fail(ErrorCode::kUnsupported,
                fmt::format("kernel '{}' needs features that device '{}' lacks (bits {:#x})", name,
                            facts.name, kernel->needs & ~has));
  }
  const Kernel* best = nullptr;
  for (const Kernel& kernel : kernels()) {
    if (!fits(kernel, request) || (kernel.needs & ~has) != 0 || (kernel.worth & ~worth) != 0) continue;
    if (best == nullptr || better(kernel, *best, request.rows)) best = &kernel;
  }
  if (best == nullptr) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the Vulkan backend has no kernel for {}", describe(request)));
  }
  return KernelSelection{
      best, fmt::format("batches of up to {}: {} rows at a time; {}", request.rows, best->columns,
                        best->needs == 0 ? "portable" : "the device has what it needs")};
}

}  // namespace hb::vulkan
