// Buffers on a device, cut out of large blocks of its memory.
#pragma once

#include <volk.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/vulkan/device.h"
#include "base/error.h"

namespace hb::vulkan {

enum class MemoryUse : uint8_t {
  kDevice,    // fast for kernels; mapped where that costs nothing (unified memory)
  kUpload,    // written by the host
  kReadback,  // read by the host
};

class MemoryBlock;
struct MemoryType;

// OWNS the VkBuffer and its share of a block. Empty by default.
class Buffer {
 public:
  VkBuffer handle() const { return buffer_.get(); }
  uint64_t size() const { return size_; }
  // Nullptr where the memory cannot be mapped. The memory is coherent.
  uint8_t* mapped() const { return mapped_; }

 private:
  friend class Memory;
  std::shared_ptr<MemoryBlock> block_;  // outlives the buffer
  Owned<VkBuffer> buffer_;
  uint64_t size_ = 0;
  uint8_t* mapped_ = nullptr;
};

// A part of a buffer, as bound to a kernel. BORROWS the buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;

  bool overlaps(const BufferRange& other) const {
    return buffer == other.buffer && offset < other.offset + other.size && other.offset < offset + size;
  }
};
inline BufferRange whole(const Buffer& buffer) { return {buffer.handle(), 0, buffer.size()}; }

// Hands out buffers from blocks. A block is freed with the last of its buffers: buffers that are made
// together are freed together, so nothing is reused within a block. THREADS: any.
class Memory {
 public:
  // `map_device_memory` off: kernels' memory is never mapped, as on a discrete GPU.
  Memory(std::shared_ptr<Device> device, bool map_device_memory)
      : device_(std::move(device)), map_device_memory_(map_device_memory) {}

  // At least one byte. ERRORS: kOutOfMemory (naming `what` and the size), kUnsupported (larger than the
  // device allows).
  Result<Buffer> allocate(uint64_t size, MemoryUse use, const std::string& what);

  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  struct Place {
    std::shared_ptr<MemoryBlock> block;
    uint64_t offset;
  };
  Result<Place> place_for(const VkMemoryRequirements& needs, MemoryUse use);
  Result<std::shared_ptr<MemoryBlock>> new_block(uint64_t size, const MemoryType& type);

  std::shared_ptr<Device> device_;
  bool map_device_memory_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<MemoryBlock>> open_blocks_;
};

}  // namespace hb::vulkan
