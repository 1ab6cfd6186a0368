// The OpenCL backend: every op of a plan on a device of OpenCL 1.2 or later, a phone's GPU or a CPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/opencl/device_facts.h"

namespace hb {

struct OpenclBackendOptions {
  std::string library = {};       // path of libOpenCL; empty: searched for (opencl/library.h)
  std::string device = {};        // number or part of a name; empty: the best
  std::string cache_folder = {};  // of the user, where compiled kernels are kept; empty: they are not
  uint32_t threads = 1;           // that pack weights
  uint32_t flush_every = 0;       // kernels after which the queue is flushed; 0: only at the end of a batch
  bool wait = false;              // at every flush, also wait for the device

  // For tests.
  std::vector<std::string> forced_kernels = {};  // names of kernels.def
  uint64_t max_allocation = 0;                   // 0: the device's
};

// THREADS: compile() and forward() of all its contexts may run at once.
// ERRORS: kNotFound (no library, no such device), kUnsupported (of the device or this build), kDevice,
// kOutOfMemory.
Result<std::unique_ptr<Backend>> make_opencl_backend(const OpenclBackendOptions& options);

// Every device that the library finds. ERRORS: kNotFound (no library), kUnsupported, kDevice.
Result<std::vector<opencl::DeviceFacts>> list_opencl_devices(const std::string& library = {});

}  // namespace hb
