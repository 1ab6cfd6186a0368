// A logical device with one compute queue, and what runs on it.
#pragma once

#include <volk.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "backend/vulkan/device_facts.h"
#include "backend/vulkan/instance.h"
#include "base/error.h"

namespace hb::vulkan {

struct DeviceOptions {
  std::string device;                                            // number or part of a name; empty: the best
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // of one submission
  uint64_t max_storage_range = 0;                                // 0: the device's
  uint64_t fail_after = 0;              // submissions, then the device counts as lost; 0: never
  std::optional<bool> flip_codes = {};  // instead of wants_flipped_codes()
};

// OWNS the VkDevice. THREADS: any may submit.
class Device {
 public:
  // ERRORS: those of choose_device and of the driver.
  static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance,
                                                const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  uint32_t queue_family() const { return queue_family_; }
  const DeviceFacts& facts() const { return facts_; }
  void set_half_hardware(bool exact) { facts_.half_hardware = exact; }  // before others see the device
  const Instance& instance() const { return *instance_; }

  // Runs command buffers one after the other and waits for them. ERRORS: kDevice (lost, or not done in time).
  // After one the device is given up: nothing of it is destroyed, as a hung driver may still use it.
  Status run(std::span<const VkCommandBuffer> commands, VkFence fence);

  bool given_up() const { return given_up_; }
  uint64_t submissions() const { return submissions_; }

 private:
  Device() = default;
  Status open();
  Status submit(std::span<const VkCommandBuffer> commands, VkFence fence);
  Status wait(VkFence fence);
  void give_up(VkFence fence);

  std::shared_ptr<Instance> instance_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  DeviceFacts facts_;
  std::chrono::nanoseconds timeout_{};
  uint64_t fail_after_ = 0;
  std::atomic<uint64_t> submissions_ = 0;
  std::mutex queue_mutex_;
  std::atomic<bool> given_up_ = false;
  VkFence unfinished_ = VK_NULL_HANDLE;  // of a submission that may still run
};

inline void destroy(VkDevice d, VkBuffer o) { vkDestroyBuffer(d, o, nullptr); }
inline void destroy(VkDevice d, VkBufferView o) { vkDestroyBufferView(d, o, nullptr); }
inline void destroy(VkDevice d, VkDeviceMemory o) { vkFreeMemory(d, o, nullptr); }
inline void destroy(VkDevice d, VkCommandPool o) { vkDestroyCommandPool(d, o, nullptr); }
inline void destroy(VkDevice d, VkFence o) { vkDestroyFence(d, o, nullptr); }
inline void destroy(VkDevice d, VkDescriptorPool o) { vkDestroyDescriptorPool(d, o, nullptr); }
inline void destroy(VkDevice d, VkDescriptorSetLayout o) { vkDestroyDescriptorSetLayout(d, o, nullptr); }
inline void destroy(VkDevice d, VkPipelineLayout o) { vkDestroyPipelineLayout(d, o, nullptr); }
inline void destroy(VkDevice d, VkPipelineCache o) { vkDestroyPipelineCache(d, o, nullptr); }
inline void destroy(VkDevice d, VkPipeline o) { vkDestroyPipeline(d, o, nullptr); }
inline void destroy(VkDevice d, VkShaderModule o) { vkDestroyShaderModule(d, o, nullptr); }

// An object of a device that is destroyed with this, unless the device was given up.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<Device> device, T object) : device_(std::move(device)), object_(object) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Owned() {
    if (object_ != VK_NULL_HANDLE && !device_->given_up()) destroy(device_->handle(), object_);
  }
  T get() const { return object_; }

 private:
  void swap(Owned& other) {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
  }
  std::shared_ptr<Device> device_;
  T object_ = VK_NULL_HANDLE;
};

// Command buffers of one thread, and the fence to wait for them. THREADS: one at a time.
class Commands {
 public:
  static Result<Commands> create(std::shared_ptr<Device> device);

  const std::shared_ptr<Device>& device() const { return device_; }
  // A command buffer that lives until give_back(), or as long as this.
  Result<VkCommandBuffer> allocate();
  void give_back(VkCommandBuffer commands) {
    vkFreeCommandBuffers(device_->handle(), pool_.get(), 1, &commands);
  }
  // Records into the scratch command buffer, which the next call reuses.
  Result<VkCommandBuffer> record_once(const std::function<void(VkCommandBuffer)>& record);
  Status run(std::span<const VkCommandBuffer> commands) { return device_->run(commands, fence_.get()); }
  Status run_once(const std::function<void(VkCommandBuffer)>& record);

 private:
  std::shared_ptr<Device> device_;
  Owned<VkCommandPool> pool_;
  Owned<VkFence> fence_;
  VkCommandBuffer scratch_ = VK_NULL_HANDLE;
};

// Everything before is done and visible before anything after starts, on the device and, for reads, on the
// host. Always full barriers: drivers are known to drop narrower ones.
void full_barrier(VkCommandBuffer commands);

}  // namespace hb::vulkan
