#include "backend/vulkan/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/vulkan/vk_result.h"

namespace hb::vulkan {

// A piece of device memory, filled from its start.
class MemoryBlock {
 public:
  MemoryBlock(Owned<VkDeviceMemory> memory, uint32_t type, uint64_t size, uint8_t* mapped)
      : memory_(std::move(memory)), type_(type), size_(size), mapped_(mapped) {}

  // Where `size` bytes fit, which are then taken.
  std::optional<uint64_t> take(uint64_t size, uint64_t alignment) {
    const uint64_t begin = (used_ + alignment - 1) / alignment * alignment;
    if (begin > size_ || size_ - begin < size) return std::nullopt;
    used_ = begin + size;
    return begin;
  }
  VkDeviceMemory memory() const { return memory_.get(); }
  uint32_t type() const { return type_; }
  uint8_t* mapped() const { return mapped_; }

 private:
  Owned<VkDeviceMemory> memory_;
  uint32_t type_;
  uint64_t size_;
  uint64_t used_ = 0;
  uint8_t* mapped_;
};

struct MemoryType {
  uint32_t index;
  bool mapped;
};

namespace {

constexpr uint64_t kBlockBytes = 64u << 20;

constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// What memory must have, then what it had better have, best first.
std::vector<VkMemoryPropertyFlags> preferences(MemoryUse use, bool map_device_memory) {
  switch (use) {
    case MemoryUse::kDevice:
      if (map_device_memory)
        return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kMapped, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
      return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    case MemoryUse::kUpload:
      return {kMapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kMapped};
    default:
      return {kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kMapped};
  }
}

Result<MemoryType> find_type(VkPhysicalDevice device, uint32_t allowed, MemoryUse use,
                             bool map_device_memory) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (const VkMemoryPropertyFlags wanted : preferences(use, map_device_memory)) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      if ((allowed >> i & 1u) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
        return MemoryType{i, (wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0};
    }
  }
  return fail(ErrorCode::kUnsupported, "the device has no memory of the kind that is needed");
}

Result<VkBuffer> make_buffer(VkDevice device, uint64_t size) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkBuffer buffer = VK_NULL_HANDLE;
  HB_VK(vkCreateBuffer(device, &info, nullptr, &buffer), fmt::format("making a buffer of {} bytes", size));
  return buffer;
}

}  // namespace

Result<std::shared_ptr<MemoryBlock>> Memory::new_block(uint64_t size, const MemoryType& type) {
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = size;
  info.memoryTypeIndex = type.index;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  HB_VK(vkAllocateMemory(device_->handle(), &info, nullptr, &memory),
        fmt::format("allocating {} bytes of device memory", size));
  Owned<VkDeviceMemory> owned(device_, memory);
  void* mapped = nullptr;
  if (type.mapped) {
    HB_VK(vkMapMemory(device_->handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped), "mapping device memory");
  }
  return std::make_shared<MemoryBlock>(std::move(owned), type.index, size, static_cast<uint8_t*>(mapped));
}

Result<Memory::Place> Memory::place_for(const VkMemoryRequirements& needs, MemoryUse use) {
  const bool map = map_device_memory_ && device_->facts().unified_memory;
  HB_ASSIGN(const MemoryType type, find_type(device_->physical(), needs.memoryTypeBits, use, map));
  std::erase_if(open_blocks_, [](const auto& block) { return block.expired(); });
  for (const auto& weak : open_blocks_) {
    const auto block = weak.lock();
    if (block == nullptr || block->type() != type.index || (block->mapped() != nullptr) != type.mapped)
      continue;
    if (const auto offset = block->take(needs.size, needs.alignment)) return Place{block, *offset};
  }
  const uint64_t usual = use == MemoryUse::kDevice ? kBlockBytes : kBlockBytes / 16;
  auto block = new_block(std::max(needs.size, usual), type);
  if (!block && needs.size < usual) block = new_block(needs.size, type);
  if (!block) return std::unexpected(block.error());
  open_blocks_.push_back(*block);
  return Place{*block, (*block)->take(needs.size, needs.alignment).value_or(0)};
}

Result<Buffer> Memory::allocate(uint64_t size, MemoryUse use, const std::string& what) {
  size = std::max<uint64_t>((size + 3) / 4 * 4, 4);
  const DeviceFacts& facts = device_->facts();
  if (facts.max_allocation != 0 && size > facts.max_allocation) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} needs {} bytes in one piece; device '{}' gives at most {}", what, size,
                            facts.name, facts.max_allocation));
  }
  Buffer out;
  HB_ASSIGN(const VkBuffer buffer, make_buffer(device_->handle(), size));
  out.buffer_ = {device_, buffer};
  out.size_ = size;
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_->handle(), buffer, &needs);
  const std::lock_guard lock(mutex_);
  const auto place = place_for(needs, use);
  if (!place) return std::unexpected(place.error().within(what));
  out.block_ = place->block;
  out.mapped_ = place->block->mapped() ? place->block->mapped() + place->offset : nullptr;
  HB_VK(vkBindBufferMemory(device_->handle(), buffer, place->block->memory(), place->offset),
        fmt::format("binding memory to {}", what));
  return out;
}

}  // namespace hb::vulkan
