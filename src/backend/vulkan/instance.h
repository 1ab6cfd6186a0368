// The Vulkan loader, its devices, and what the validation layers say.
#pragma once

#include <volk.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/vulkan/device_facts.h"
#include "base/error.h"

namespace hb::vulkan {

// Complaints of the validation layers. THREADS: any.
class ValidationLog {
 public:
  void add(std::string message);
  std::vector<std::string> messages() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

// OWNS the VkInstance.
class Instance {
 public:
  // With `validate`, runs under the Khronos validation layer, synchronisation validation on; what it says
  // goes to the log and to validation(). ERRORS: kNotFound (no Vulkan loader or driver), kUnsupported (no
  // validation layer, no Vulkan 1.1).
  static Result<std::shared_ptr<Instance>> create(bool validate);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::vector<DeviceFacts>& devices() const { return facts_; }
  VkPhysicalDevice physical_device(size_t index) const { return physical_[index]; }
  const ValidationLog& validation() const { return validation_; }

 private:
  Instance() = default;
  Status find_devices();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  ValidationLog validation_;
  std::vector<VkPhysicalDevice> physical_;
  std::vector<DeviceFacts> facts_;
};

}  // namespace hb::vulkan
