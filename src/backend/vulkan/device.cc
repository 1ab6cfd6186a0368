#include "backend/vulkan/device.h"

#include <fmt/format.h>

#include <vector>

#include "backend/vulkan/vk_result.h"

namespace hb::vulkan {
namespace {

constexpr uint64_t kLastWait = 5'000'000'000;  // ns

Result<uint32_t> find_compute_family(VkPhysicalDevice device, const std::string& name) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if (families[i].queueCount > 0 && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) return i;
  }
  return fail(ErrorCode::kUnsupported, fmt::format("device '{}' has no queue for compute", name));
}

}  // namespace

Result<std::shared_ptr<Device>> Device::create(std::shared_ptr<Instance> instance,
                                               const DeviceOptions& options) {
  HB_ASSIGN(const size_t index, choose_device(instance->devices(), options.device));
  std::shared_ptr<Device> self = std::unique_ptr<Device>(new Device);
  self->physical_ = instance->physical_device(index);
  self->facts_ = instance->devices()[index];
  self->facts_.flipped_codes = options.flip_codes.value_or(wants_flipped_codes(self->facts_));
  if (options.max_storage_range != 0) self->facts_.max_storage_range = options.max_storage_range;
  // A driver without a GPU is slow, not hung.
  self->timeout_ = options.timeout * (self->facts_.kind == DeviceKind::kCpu ? 10 : 1);
  self->fail_after_ = options.fail_after;
  self->instance_ = std::move(instance);
  HB_TRY(self->open());
  return self;
}

Status Device::open() {
  HB_ASSIGN(queue_family_, find_compute_family(physical_, facts_.name));
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, queue_family_, 1, &priority};
  VkPhysicalDeviceShaderFloat16Int8Features small = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  small.shaderFloat16 = facts_.float16;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
  dot.shaderIntegerDotProduct = facts_.dot_product;
  std::vector<const char*> extensions;
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  const uint32_t version = facts_.api_major * 100 + facts_.api_minor;
  if (facts_.float16) {
    info.pNext = &small;
    if (version < 102) extensions.push_back(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
  }
  if (facts_.dot_product) {
    dot.pNext = const_cast<void*>(info.pNext);
    info.pNext = &dot;
    if (version < 103) extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  }
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  HB_VK(vkCreateDevice(physical_, &info, nullptr, &device_), fmt::format("opening device '{}'", facts_.name));
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  return {};
}

Device::~Device() {
  if (device_ == VK_NULL_HANDLE) return;
  if (given_up_) {
    // Whatever still runs had better not meet the end of the process.
    if (unfinished_ != VK_NULL_HANDLE) vkWaitForFences(device_, 1, &unfinished_, VK_TRUE, kLastWait);
    return;
  }
  vkDeviceWaitIdle(device_);
  vkDestroyDevice(device_, nullptr);
}

Status Device::run(std::span<const VkCommandBuffer> commands, VkFence fence) {
  if (given_up_) {
    return fail(ErrorCode::kDevice,
                fmt::format("device '{}' was given up after an earlier failure", facts_.name));
  }
  const Status given = submit(commands, fence);
  const Status done = given ? wait(fence) : given;
  if (!done) give_up(given ? fence : VK_NULL_HANDLE);
  return done;
}

Status Device::submit(std::span<const VkCommandBuffer> commands, VkFence fence) {
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  const std::lock_guard lock(queue_mutex_);
  const bool lost = submissions_++ >= fail_after_ && fail_after_ != 0;
  HB_VK(lost ? VK_ERROR_DEVICE_LOST : vkQueueSubmit(queue_, 1, &info, fence),
        fmt::format("giving work to '{}'", facts_.name));
  return {};
}

void Device::give_up(VkFence fence) {
  const std::lock_guard lock(queue_mutex_);
  if (!given_up_) unfinished_ = fence;
  given_up_ = true;
}

Status Device::wait(VkFence fence) {
  const VkResult result =
      vkWaitForFences(device_, 1, &fence, VK_TRUE, static_cast<uint64_t>(timeout_.count()));
  if (result == VK_TIMEOUT) {
    return fail(ErrorCode::kDevice,
                fmt::format("device '{}' did not finish in {} s: the driver hangs, or the device is too slow",
                            facts_.name, std::chrono::duration<double>(timeout_).count()));
  }
  HB_VK(result, fmt::format("waiting for '{}'", facts_.name));
  HB_VK(vkResetFences(device_, 1, &fence), fmt::format("waiting for '{}'", facts_.name));
  return {};
}

Result<Commands> Commands::create(std::shared_ptr<Device> device) {
  Commands self;
  const VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                             VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                             device->queue_family()};
  VkCommandPool pool = VK_NULL_HANDLE;
  HB_VK(vkCreateCommandPool(device->handle(), &pool_info, nullptr, &pool), "making a command pool");
  self.pool_ = {device, pool};
  const VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  HB_VK(vkCreateFence(device->handle(), &fence_info, nullptr, &fence), "making a fence");
  self.fence_ = {device, fence};
  self.device_ = std::move(device);
  HB_ASSIGN(self.scratch_, self.allocate());
  return self;
}

Result<VkCommandBuffer> Commands::allocate() {
  const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                            pool_.get(), VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  HB_VK(vkAllocateCommandBuffers(device_->handle(), &info, &buffer), "making a command buffer");
  return buffer;
}

Result<VkCommandBuffer> Commands::record_once(const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                          VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
  HB_VK(vkBeginCommandBuffer(scratch_, &begin), "recording commands");
  full_barrier(scratch_);
  record(scratch_);
  full_barrier(scratch_);
  HB_VK(vkEndCommandBuffer(scratch_), "recording commands");
  return scratch_;
}

Status Commands::run_once(const std::function<void(VkCommandBuffer)>& record) {
  HB_ASSIGN(const VkCommandBuffer buffer, record_once(record));
  return run({&buffer, 1});
}

void full_barrier(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kDevice = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                           VK_PIPELINE_STAGE_TRANSFER_BIT |
                                           VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  constexpr VkAccessFlags kAll = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kAll, kAll};
  vkCmdPipelineBarrier(commands, kDevice, kDevice | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                       nullptr);
}

}  // namespace hb::vulkan
