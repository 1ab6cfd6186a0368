// Asks drivers for the facts of their devices.
#pragma once

#include <memory>
#include <vector>

#include "backend/opencl/device_facts.h"
#include "backend/opencl/library.h"

namespace hb::opencl {

struct FoundDevice {
  cl_platform_id platform;
  cl_device_id id;
  DeviceFacts facts;
};

// Devices of all platforms, in the loader's order; none is no error. ERRORS: kDevice.
Result<std::vector<FoundDevice>> find_devices(const Library& library);

}  // namespace hb::opencl
