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

// Bindings that kernels with kTexel read as texel buffers: weights and activations.
inline constexpr uint32_t kTexelBindings = 6;

// All kernels share one layout: kMaxBindings storage buffers in set 0, kPushBytes of push constants; those
// with kTexel another, whose first kTexelBindings are texel buffers. Specialisation constant 0 is how codes
// are flipped. THREADS: any.
class Pipelines {
 public:
  // `cache_folder`: of the user; empty: nothing is kept.
  static Result<std::shared_ptr<Pipelines>> create(std::shared_ptr<Device> device,
                                                   const std::string& cache_folder);

  VkPipelineLayout layout(const Kernel& kernel) const { return layouts_of(kernel).pipeline.get(); }
  VkDescriptorSetLayout set_layout(const Kernel& kernel) const { return layouts_of(kernel).set.get(); }

  // ERRORS: kDevice, kOutOfMemory (the driver fails to compile, naming the kernel).
  Result<VkPipeline> get(const Kernel& kernel);

  // Writes the cache to disk if it has grown. A failure is only logged.
  void save();

 private:
  explicit Pipelines(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  struct Layouts {
    Owned<VkDescriptorSetLayout> set;
    Owned<VkPipelineLayout> pipeline;
  };
  const Layouts& layouts_of(const Kernel& kernel) const {
    return kernel.needs & kTexel ? texel_layouts_ : layouts_;
  }
  Result<Layouts> make_layouts(uint32_t texel_bindings) const;
  Status make_cache(const std::string& cache_folder);
  Result<VkPipeline> compile(const Kernel& kernel);

  std::shared_ptr<Device> device_;
  Layouts layouts_, texel_layouts_;
  Owned<VkPipelineCache> cache_;
  std::string cache_path_;
  std::mutex mutex_;
  uint64_t saved_bytes_ = 0;  // of the cache, on disk
  std::map<const Kernel*, Owned<VkPipeline>> pipelines_;
};

}  // namespace hb::vulkan
