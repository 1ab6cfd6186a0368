// The pipelines of the kernels, made when first asked for, and kept on disk between runs.
#pragma once

#include <volk.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/vulkan/device.h"
#include "backend/vulkan/kernels.h"
#include "base/error.h"

namespace hb::vulkan {

inline constexpr uint32_t kMaxBindings = 10;
inline constexpr uint32_t kPushBytes = 64;

// All kernels share one layout: kMaxBindings storage buffers in set 0, kPushBytes of push constants.
// THREADS: any.
class Pipelines {
 public:
  // `cache_folder`: of the user; empty: nothing is kept.
  static Result<std::shared_ptr<Pipelines>> create(std::shared_ptr<Device> device,
                                                   const std::string& cache_folder);

  VkPipelineLayout layout() const { return layout_.get(); }
  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }

  // ERRORS: kDevice, kOutOfMemory (the driver fails to compile, naming the kernel).
  Result<VkPipeline> get(const Kernel& kernel);

  // Writes the cache to disk if it has grown. A failure is only logged.
  void save();

 private:
  explicit Pipelines(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Status make_layouts();
  Status make_cache(const std::string& cache_folder);
  Result<VkPipeline> compile(const Kernel& kernel);

  std::shared_ptr<Device> device_;
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkPipelineCache> cache_;
  std::string cache_path_;
  std::mutex mutex_;
  uint64_t saved_bytes_ = 0;  // of the cache, on disk
  std::map<const Kernel*, Owned<VkPipeline>> pipelines_;
};

}  // namespace hb::vulkan
