// What is known of a device, as plain data: the choice of device and of kernels are functions of it, so tests
// make it up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace hb::opencl {

enum class DeviceKind : uint8_t { kGpu, kAccelerator, kCpu, kOther };
const char* device_kind_name(DeviceKind kind);  // "gpu", …

struct DeviceFacts {
  std::string name;      // as the driver gives it
  std::string vendor;    // likewise
  std::string platform;  // name of the platform
  std::string driver;    // version of the driver
  std::string version;   // "OpenCL 3.0 …"
  DeviceKind kind = DeviceKind::kOther;
  bool available = true;
  bool compiler = true;

  uint64_t memory_bytes = 0;
  uint64_t max_allocation = 0;  // bytes of one buffer
  bool unified_memory = false;
  uint64_t local_bytes = 0;     // of a work-group
  uint64_t max_work_group = 0;  // work-items
  uint32_t compute_units = 0;
  bool half = false;       // cl_khr_fp16
  bool subgroups = false;  // cl_khr_subgroups, or a vendor's
  bool images = false;
  bool integer_dot = false;  // cl_khr_integer_dot_product
};

// ERRORS: kUnsupported, naming what is missing.
Status check_usable(const DeviceFacts& facts);

// The device that `wanted` means: its number, or a part of its name or its platform's in any case; empty: the
// first usable of the fastest kind. ERRORS: kNotFound, with the list of devices; kUnsupported, if the device
// that was asked for cannot be used.
Result<size_t> choose_device(std::span<const DeviceFacts> devices, const std::string& wanted);

}  // namespace hb::opencl
