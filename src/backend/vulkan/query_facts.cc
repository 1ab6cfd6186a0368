#include "backend/vulkan/query_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace hb::vulkan {
namespace {

DeviceKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceKind::kDiscrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceKind::kIntegrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceKind::kVirtual;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceKind::kCpu;
    default:
      return DeviceKind::kOther;
  }
}

// The extensions of one device. Structures of an extension that is not there must not be asked for.
class Extensions {
 public:
  explicit Extensions(VkPhysicalDevice device) {
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    extensions_.resize(count);
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions_.data());
  }
  bool has(const char* name) const {
    return std::ranges::any_of(extensions_, [name](const auto& extension) {
      return std::strcmp(extension.extensionName, name) == 0;
    });
  }

 private:
  std::vector<VkExtensionProperties> extensions_;
};

void set_memory(VkPhysicalDevice device, DeviceFacts& facts) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      facts.memory_bytes = std::max<uint64_t>(facts.memory_bytes, memory.memoryHeaps[i].size);
  }
  constexpr VkMemoryPropertyFlags kBoth =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType& type = memory.memoryTypes[i];
    // A small window into a large memory does not count.
    if ((type.propertyFlags & kBoth) == kBoth &&
        memory.memoryHeaps[type.heapIndex].size == facts.memory_bytes)
      facts.unified_memory = true;
  }
}

void set_limits(const VkPhysicalDeviceLimits& limits, DeviceFacts& facts) {
  facts.max_storage_range = limits.maxStorageBufferRange;
  facts.storage_alignment = static_cast<uint32_t>(limits.minStorageBufferOffsetAlignment);
  facts.texel_elements = limits.maxTexelBufferElements;
  facts.max_storage_buffers =
      std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
  facts.max_push_bytes = limits.maxPushConstantsSize;
  facts.max_invocations = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  facts.max_shared_bytes = limits.maxComputeSharedMemorySize;
}

void set_features(VkPhysicalDevice device, const Extensions& extensions, DeviceFacts& facts) {
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDevice16BitStorageFeatures storage16 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDevice8BitStorageFeatures storage8 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  VkPhysicalDeviceShaderFloat16Int8Features small = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
  features.pNext = &storage16;
  const bool vulkan12 = facts.api_major > 1 || facts.api_minor >= 2;
  const bool vulkan13 = facts.api_major > 1 || facts.api_minor >= 3;
  if (vulkan13 || extensions.has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    dot.pNext = features.pNext;
    features.pNext = &dot;
  }
  if (vulkan12 || extensions.has(VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
    storage8.pNext = features.pNext;
    features.pNext = &storage8;
  }
  if (vulkan12 || extensions.has(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) {
    small.pNext = features.pNext;
    features.pNext = &small;
  }
  vkGetPhysicalDeviceFeatures2(device, &features);
  facts.storage_16bit = storage16.storageBuffer16BitAccess;
  facts.storage_8bit = storage8.storageBuffer8BitAccess;
  facts.int8 = small.shaderInt8;
  facts.float16 = small.shaderFloat16;
  facts.dot_product = dot.shaderIntegerDotProduct;
  facts.int16 = features.features.shaderInt16;
}

// Fills everything but the name and the versions, which are known by now.
void set_properties(VkPhysicalDevice device, const Extensions& extensions, DeviceFacts& facts) {
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocation = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceShaderIntegerDotProductProperties dot = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
  properties.pNext = &subgroup;
  subgroup.pNext = &allocation;
  const bool vulkan12 = facts.api_major > 1 || facts.api_minor >= 2;
  const bool vulkan13 = facts.api_major > 1 || facts.api_minor >= 3;
  if (vulkan12 || extensions.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
    driver.pNext = properties.pNext;
    properties.pNext = &driver;
  }
  if (vulkan13 || extensions.has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    dot.pNext = properties.pNext;
    properties.pNext = &dot;
  }
  vkGetPhysicalDeviceProperties2(device, &properties);
  facts.subgroup_size = subgroup.subgroupSize;
  facts.subgroup_shuffle = (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
                           (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  facts.max_allocation = allocation.maxMemoryAllocationSize;
  facts.driver = driver.driverName;
  if (driver.driverInfo[0] != '\0') facts.driver += fmt::format(" {}", driver.driverInfo);
  facts.dot_signed = dot.integerDotProduct4x8BitPackedSignedAccelerated;
  facts.dot_unsigned = dot.integerDotProduct4x8BitPackedUnsignedAccelerated;
  facts.dot_mixed = dot.integerDotProduct4x8BitPackedMixedSignednessAccelerated;
}

}  // namespace

DeviceFacts query_facts(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  DeviceFacts facts;
  facts.name = properties.deviceName;
  facts.kind = kind_of(properties.deviceType);
  facts.vendor_id = properties.vendorID;
  facts.device_id = properties.deviceID;
  facts.driver_version = properties.driverVersion;
  facts.api_major = VK_API_VERSION_MAJOR(properties.apiVersion);
  facts.api_minor = VK_API_VERSION_MINOR(properties.apiVersion);
  std::memcpy(facts.cache_uuid, properties.pipelineCacheUUID, sizeof facts.cache_uuid);
  set_limits(properties.limits, facts);
  set_memory(device, facts);
  if (facts.api_major == 1 && facts.api_minor == 0) return facts;  // cannot be used: check_usable()
  const Extensions extensions(device);
  set_properties(device, extensions, facts);
  set_features(device, extensions, facts);
  return facts;
}

}  // namespace hb::vulkan
