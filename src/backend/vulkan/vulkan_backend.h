// The Vulkan backend: every op of a plan on a GPU.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/vulkan/device_facts.h"

namespace hb {

struct VulkanBackendOptions {
  std::string device = {};        // number or part of a name; empty: the best
  std::string cache_folder = {};  // of the user, where compiled kernels are kept; empty: they are not
  uint32_t threads = 1;           // that pack weights
  std::chrono::milliseconds timeout =
      std::chrono::seconds(60);  // after which it counts as hung; without a GPU ten times that
  bool validate = false;         // run under the validation layer

  // For tests.
  std::vector<std::string> forced_kernels = {};  // names of kernels.def
  bool map_device_memory = true;        // off: weights go through staging buffers, as on a discrete GPU
  uint64_t fail_after = 0;              // submissions, then the device counts as lost; 0: never
  uint64_t max_storage_range = 0;       // 0: the device's
  std::optional<bool> flip_codes = {};  // of 4-bit weights; empty: as the device wants them
};

// THREADS: compile() and forward() of all its contexts may run at once.
// ERRORS: kNotFound (no loader, no such device), kUnsupported (of the device or this build), kDevice,
// kOutOfMemory.
Result<std::unique_ptr<Backend>> make_vulkan_backend(const VulkanBackendOptions& options);

// What a backend has done so far, for tests and records.
struct VulkanReport {
  uint64_t submissions = 0;
  uint64_t recordings = 0;  // command buffers made of a plan; descriptors are written then, and only then
  std::vector<std::string> messages;  // of the validation layer
};
// REQUIRES: `backend` comes from make_vulkan_backend().
VulkanReport vulkan_report(const Backend& backend);

// Every device that the loader finds. ERRORS: kNotFound (no loader), kUnsupported, kDevice.
Result<std::vector<vulkan::DeviceFacts>> list_vulkan_devices();

}  // namespace hb
