#include "backend/vulkan/transfer.h"

#include <algorithm>
#include <cstring>

namespace hb::vulkan {
namespace {

constexpr uint64_t kStagingBytes = 4u << 20;

}  // namespace

Result<Transfer> Transfer::create(Memory& memory, Commands& commands) {
  Transfer self(commands);
  HB_ASSIGN(self.staging_, memory.allocate(kStagingBytes, MemoryUse::kReadback, "a staging buffer"));
  return self;
}

Status Transfer::write(const Buffer& to, uint64_t offset, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return {};
  if (to.mapped() != nullptr) {
    std::memcpy(to.mapped() + offset, bytes.data(), bytes.size());
    return {};
  }
  while (!bytes.empty()) {
    const uint64_t size = std::min<uint64_t>(bytes.size(), kStagingBytes);
    std::memcpy(staging_.mapped(), bytes.data(), size);
    const VkBufferCopy copy = {0, offset, size};
    HB_TRY(commands_->run_once([&](VkCommandBuffer commands) {
      vkCmdCopyBuffer(commands, staging_.handle(), to.handle(), 1, &copy);
    }));
    offset += size;
    bytes = bytes.subspan(size);
  }
  return {};
}

Status Transfer::read(const Buffer& from, uint64_t offset, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const uint64_t size = std::min<uint64_t>(bytes.size(), kStagingBytes);
    const VkBufferCopy copy = {offset, 0, size};
    HB_TRY(commands_->run_once([&](VkCommandBuffer commands) {
      vkCmdCopyBuffer(commands, from.handle(), staging_.handle(), 1, &copy);
    }));
    std::memcpy(bytes.data(), staging_.mapped(), size);
    offset += size;
    bytes = bytes.subspan(size);
  }
  return {};
}

Status Transfer::clear(const Buffer& buffer) {
  return commands_->run_once(
      [&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, buffer.handle(), 0, VK_WHOLE_SIZE, 0); });
}

}  // namespace hb::vulkan
