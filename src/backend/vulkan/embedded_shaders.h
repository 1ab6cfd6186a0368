// SPIR-V of every kernel, made by the build from kernels.def.
#pragma once

#include <cstdint>
#include <span>

namespace hb::vulkan {

#define HB_VULKAN_KERNEL(name, op, source, needs) extern const std::span<const uint32_t> spirv_##name;
#define HB_VULKAN_WEIGHT_KERNEL(name, op, type, columns, source, needs) \
  extern const std::span<const uint32_t> spirv_##name;
#define HB_VULKAN_VARIANT_KERNEL(name, op, type, columns, source, needs, worth, defines) \
  extern const std::span<const uint32_t> spirv_##name;
#include "backend/vulkan/kernels.def"
#undef HB_VULKAN_VARIANT_KERNEL
#undef HB_VULKAN_KERNEL
#undef HB_VULKAN_WEIGHT_KERNEL

}  // namespace hb::vulkan
