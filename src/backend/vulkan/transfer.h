// Copies between the host and buffers on the device.
#pragma once

#include <cstdint>
#include <span>

#include "backend/vulkan/memory.h"

namespace hb::vulkan {

// By memory where the buffer is mapped, else through a staging buffer. BORROWS the commands.
// ERRORS: kOutOfMemory, kDevice. REQUIRES: offsets and sizes are multiples of 4.
class Transfer {
 public:
  static Result<Transfer> create(Memory& memory, Commands& commands);

  Status write(const Buffer& to, uint64_t offset, std::span<const uint8_t> bytes);
  Status read(const Buffer& from, uint64_t offset, std::span<uint8_t> bytes);
  // Zeros all of a buffer.
  Status clear(const Buffer& buffer);

 private:
  explicit Transfer(Commands& commands) : commands_(&commands) {}

  Commands* commands_;
  Buffer staging_;
};

}  // namespace hb::vulkan
