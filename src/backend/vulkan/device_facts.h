// What is known of a device, as plain data: the choice of device and of kernels are functions of it, so tests
// make it up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace hb::vulkan {

enum class DeviceKind : uint8_t { kDiscrete, kIntegrated, kVirtual, kCpu, kOther };
const char* device_kind_name(DeviceKind kind);  // "discrete", …

struct DeviceFacts {
  std::string name;    // as the driver gives it
  std::string driver;  // name and version text, where the driver gives one
  DeviceKind kind = DeviceKind::kOther;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t driver_version = 0;
  uint32_t api_major = 0;
  uint32_t api_minor = 0;
  uint8_t cache_uuid[16] = {};  // changes when pipeline caches become invalid

  uint64_t memory_bytes = 0;         // of the largest heap on the device
  bool unified_memory = false;       // device-local memory can be mapped
  uint64_t max_storage_range = 0;    // bytes of one binding
  uint64_t max_allocation = 0;       // bytes
  uint32_t storage_alignment = 256;  // of a binding's offset, bytes
  uint32_t max_storage_buffers = 0;  // bindings of a kernel
  uint32_t max_push_bytes = 0;
  uint32_t max_invocations = 0;   // of a work-group
  uint32_t max_shared_bytes = 0;  // of a work-group

  uint32_t subgroup_size = 1;
  bool subgroup_shuffle = false;  // in compute shaders
  bool storage_8bit = false;
  bool storage_16bit = false;
  bool int8 = false;
  bool int16 = false;
  bool float16 = false;
  uint32_t texel_elements = 0;  // of a texel buffer
  bool dot_product = false;     // packed products run, at whatever speed
  bool dot_signed = false;      // packed 4x8 products that the device accelerates
  bool dot_unsigned = false;    // likewise
  bool dot_mixed = false;       // likewise
  bool half_hardware = false;   // converts every half as the contract does: found out by half_check.h
  bool flipped_codes = false;   // 4-bit codes are packed with high bits flipped: wants_flipped_codes()
};

// Devices that multiply signed bytes, and not signed by unsigned ones, want the high nibbles as signed codes.
inline bool wants_flipped_codes(const DeviceFacts& facts) { return facts.dot_signed && !facts.dot_mixed; }

// ERRORS: kUnsupported, naming the first limit that is too low.
Status check_usable(const DeviceFacts& facts);

// The device that `wanted` means: its number, or a part of its name in any case; empty: the fastest kind,
// then the first. ERRORS: kNotFound, with the list of devices; kUnsupported, if the device that was asked for
// cannot be used.
Result<size_t> choose_device(std::span<const DeviceFacts> devices, const std::string& wanted);

}  // namespace hb::vulkan
