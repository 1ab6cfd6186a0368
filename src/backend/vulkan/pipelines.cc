#include "backend/vulkan/pipelines.h"

#include <fmt/format.h>

#include <vector>

#include "backend/vulkan/pipeline_cache_file.h"
#include "backend/vulkan/vk_result.h"
#include "backend/vulkan/weight_layout.h"
#include "base/checked_file.h"
#include "base/log.h"

namespace hb::vulkan {
namespace {

uint64_t hash_of_kernels() {
  uint64_t hash = hash_bytes({});
  for (const Kernel& kernel : kernels()) {
    hash =
        hash_bytes({reinterpret_cast<const uint8_t*>(kernel.spirv.data()), kernel.spirv.size_bytes()}, hash);
  }
  return hash;
}

}  // namespace

Result<std::shared_ptr<Pipelines>> Pipelines::create(std::shared_ptr<Device> device,
                                                     const std::string& cache_folder) {
  std::shared_ptr<Pipelines> self = std::unique_ptr<Pipelines>(new Pipelines(std::move(device)));
  HB_ASSIGN(self->layouts_, self->make_layouts(0));
  HB_ASSIGN(self->texel_layouts_, self->make_layouts(kTexelBindings));
  HB_TRY(self->make_cache(cache_folder));
  return self;
}

Result<Pipelines::Layouts> Pipelines::make_layouts(uint32_t texel_bindings) const {
  VkDescriptorSetLayoutBinding bindings[kMaxBindings] = {};
  for (uint32_t i = 0; i < kMaxBindings; ++i) {
    const VkDescriptorType type =
        i < texel_bindings ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i] = {i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  const VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    nullptr, 0, kMaxBindings, bindings};
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  HB_VK(vkCreateDescriptorSetLayout(device_->handle(), &set_info, nullptr, &set_layout),
        "making a descriptor layout");
  Layouts layouts;
  layouts.set = {device_, set_layout};
  const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  const VkPipelineLayoutCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 1, &push};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  HB_VK(vkCreatePipelineLayout(device_->handle(), &info, nullptr, &layout), "making a pipeline layout");
  layouts.pipeline = {device_, layout};
  return layouts;
}

Status Pipelines::make_cache(const std::string& cache_folder) {
  std::vector<uint8_t> data;
  if (!cache_folder.empty()) {
    cache_path_ = pipeline_cache_path(cache_folder, device_->facts(), hash_of_kernels());
    data = read_pipeline_cache(cache_path_);
  }
  const VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0,
                                          data.size(), data.data()};
  VkPipelineCache cache = VK_NULL_HANDLE;
  HB_VK(vkCreatePipelineCache(device_->handle(), &info, nullptr, &cache), "making a pipeline cache");
  cache_ = {device_, cache};
  saved_bytes_ = data.size();
  return {};
}

Result<VkPipeline> Pipelines::get(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  if (const auto found = pipelines_.find(&kernel); found != pipelines_.end()) return found->second.get();
  HB_ASSIGN(const VkPipeline pipeline, compile(kernel));
  pipelines_.emplace(&kernel, Owned<VkPipeline>(device_, pipeline));
  return pipeline;
}

Result<VkPipeline> Pipelines::compile(const Kernel& kernel) {
  const VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                                kernel.spirv.size_bytes(), kernel.spirv.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  HB_VK(vkCreateShaderModule(device_->handle(), &module_info, nullptr, &module),
        fmt::format("loading kernel '{}'", kernel.name));
  const Owned<VkShaderModule> owned(device_, module);
  VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  const uint32_t flip = device_->facts().flipped_codes ? kFlippedHighBits : 0;
  const VkSpecializationMapEntry entry = {0, 0, sizeof flip};
  const VkSpecializationInfo constants = {1, &entry, sizeof flip, &flip};
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout(kernel);
  VkPipeline pipeline = VK_NULL_HANDLE;
  HB_VK(vkCreateComputePipelines(device_->handle(), cache_.get(), 1, &info, nullptr, &pipeline),
        fmt::format("compiling kernel '{}'", kernel.name));
  return pipeline;
}

void Pipelines::save() {
  const std::lock_guard lock(mutex_);
  if (cache_path_.empty()) return;
  size_t size = 0;
  if (vkGetPipelineCacheData(device_->handle(), cache_.get(), &size, nullptr) != VK_SUCCESS) return;
  if (size <= saved_bytes_) return;
  std::vector<uint8_t> data(size);
  if (vkGetPipelineCacheData(device_->handle(), cache_.get(), &size, data.data()) != VK_SUCCESS) return;
  data.resize(size);
  if (const Status status = write_pipeline_cache(cache_path_, data); !status) {
    log_warning("kernels are compiled again at the next start: {}", status.error().message);
    return;
  }
  saved_bytes_ = size;
}

}  // namespace hb::vulkan
