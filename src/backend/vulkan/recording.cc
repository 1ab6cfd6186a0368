#include "backend/vulkan/recording.h"

#include <algorithm>

#include "backend/vulkan/vk_result.h"
#include "backend/vulkan/weight_layout.h"
#include "base/check.h"

namespace hb::vulkan {

bool HazardTracker::needs_barrier(const std::vector<Binding>& bindings) {
  const auto conflict = [this](const Binding& now) {
    return std::ranges::any_of(since_barrier_, [&now](const Binding& before) {
      const bool writes = now.access != Access::kRead || before.access != Access::kRead;
      return writes && now.range.overlaps(before.range);
    });
  };
  const bool needed = std::ranges::any_of(bindings, conflict);
  if (needed) since_barrier_.clear();
  since_barrier_.insert(since_barrier_.end(), bindings.begin(), bindings.end());
  return needed;
}

Result<Recording> Recording::create(Memory& memory, Pipelines& pipelines, Commands& commands,
                                    std::vector<Dispatch> dispatches, bool repeatable) {
  Recording self;
  self.device_ = memory.device();
  self.dispatch_count_ = static_cast<uint32_t>(dispatches.size());
  for (const Dispatch& dispatch : dispatches) {
    if (dispatch.varying_extent) self.extents_.push_back(dispatch.varying_extent);
  }
  HB_ASSIGN(self.grids_, memory.allocate(self.extents_.size() * sizeof(VkDispatchIndirectCommand),
                                         MemoryUse::kUpload, "the sizes of dispatches"));
  HB_TRY(self.make_descriptors(dispatches, pipelines));
  HB_ASSIGN(self.commands_, commands.allocate());
  HB_TRY(self.record(dispatches, pipelines, repeatable));
  return self;
}

Status Recording::make_descriptors(const std::vector<Dispatch>& dispatches, Pipelines& pipelines) {
  if (dispatches.empty()) return {};
  const auto count = static_cast<uint32_t>(dispatches.size());
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * kMaxBindings},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, count * kTexelBindings}};
  const VkDescriptorPoolCreateInfo pool_info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, count, 2, sizes};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  HB_VK(vkCreateDescriptorPool(device_->handle(), &pool_info, nullptr, &pool), "making descriptors");
  pool_ = {device_, pool};
  std::vector<VkDescriptorSetLayout> layouts;
  for (const Dispatch& dispatch : dispatches) layouts.push_back(pipelines.set_layout(*dispatch.kernel));
  const VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool,
                                            count, layouts.data()};
  sets_.resize(count);
  HB_VK(vkAllocateDescriptorSets(device_->handle(), &info, sets_.data()), "making descriptors");
  for (uint32_t i = 0; i < count; ++i) {
    const bool texels = dispatches[i].kernel->needs & kTexel;
    for (const Binding& binding : dispatches[i].bindings)
      HB_TRY(write_descriptor(sets_[i], binding, texels && binding.index < kTexelBindings));
  }
  return {};
}

Status Recording::write_descriptor(VkDescriptorSet set, const Binding& binding, bool texels) {
  const BufferRange& range = binding.range;
  const VkDescriptorBufferInfo buffer = {range.buffer, range.offset, range.size};
  VkBufferView view = VK_NULL_HANDLE;
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.dstBinding = binding.index;
  write.descriptorCount = 1;
  if (texels) {
    VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = range.buffer;
    info.format = binding.index == kScalesSection || binding.index == kExtraSection
                      ? VK_FORMAT_R32G32_UINT
                      : VK_FORMAT_R32G32B32A32_UINT;
    info.offset = range.offset;
    info.range = range.size;
    HB_VK(vkCreateBufferView(device_->handle(), &info, nullptr, &view), "making a texel buffer");
    views_.emplace_back(device_, view);
    write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    write.pTexelBufferView = &view;
  } else {
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
  }
  vkUpdateDescriptorSets(device_->handle(), 1, &write, 0, nullptr);
  return {};
}

Status Recording::record(const std::vector<Dispatch>& dispatches, Pipelines& pipelines, bool repeatable) {
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  if (repeatable) begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  HB_VK(vkBeginCommandBuffer(commands_, &begin), "recording commands");
  full_barrier(commands_);
  HazardTracker hazards;
  uint64_t grid = 0;
  for (size_t i = 0; i < dispatches.size(); ++i) {
    const Dispatch& dispatch = dispatches[i];
    if (hazards.needs_barrier(dispatch.bindings)) {
      full_barrier(commands_);
      ++barrier_count_;
    }
    HB_ASSIGN(const VkPipeline pipeline, pipelines.get(*dispatch.kernel));
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const VkPipelineLayout layout = pipelines.layout(*dispatch.kernel);
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets_[i], 0, nullptr);
    vkCmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes, dispatch.push.data());
    if (dispatch.varying_extent) {
      vkCmdDispatchIndirect(commands_, grids_.handle(), grid);
      grid += sizeof(VkDispatchIndirectCommand);
    } else {
      vkCmdDispatch(commands_, dispatch.extent.x, dispatch.extent.y, dispatch.extent.z);
    }
  }
  full_barrier(commands_);
  HB_VK(vkEndCommandBuffer(commands_), "recording commands");
  return {};
}

void Recording::prepare(const BatchShape& shape) {
  for (size_t i = 0; i < extents_.size(); ++i) {
    const Extent extent = extents_[i](shape);
    const VkDispatchIndirectCommand command = {extent.x, extent.y, extent.z};
    std::memcpy(grids_.mapped() + i * sizeof command, &command, sizeof command);
  }
}

}  // namespace hb::vulkan
