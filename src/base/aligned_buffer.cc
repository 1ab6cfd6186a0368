#include "base/aligned_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace hb {
namespace {

uint8_t* map_pages(size_t size_bytes, AlignedBuffer::Pages pages) {
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  if (pages == AlignedBuffer::Pages::kHuge) ::madvise(data, size_bytes, MADV_HUGEPAGE);
  return static_cast<uint8_t*>(data);
}

uint8_t* allocate_small(size_t size_bytes) {
  constexpr size_t kAlignment = AlignedBuffer::kAlignment;
  const size_t rounded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  return data == nullptr ? nullptr : static_cast<uint8_t*>(std::memset(data, 0, rounded));
}

}  // namespace

Result<AlignedBuffer> AlignedBuffer::allocate(size_t size_bytes, Pages pages) {
  AlignedBuffer buffer;
  if (size_bytes == 0) return buffer;
  buffer.data_ = size_bytes >= kMapFromBytes ? map_pages(size_bytes, pages) : allocate_small(size_bytes);
  if (buffer.data_ == nullptr) {
    return fail(ErrorCode::kOutOfMemory,
                fmt::format("cannot allocate {} bytes ({:.1f} MiB) of memory", size_bytes,
                            static_cast<double>(size_bytes) / (1 << 20)));
  }
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

void AlignedBuffer::release() {
  if (size_bytes_ >= kMapFromBytes) {
    ::munmap(data_, size_bytes_);
  } else {
    std::free(data_);
  }
}

}  // namespace hb
