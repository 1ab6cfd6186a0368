#include "base/aligned_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <limits>

namespace hb {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

uint8_t* map_pages(size_t size_bytes) {
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<uint8_t*>(data);
}

// Only aligned stretches of 2 MiB can be huge: maps one more, and gives back what lies before and behind.
uint8_t* map_huge_pages(size_t size_bytes) {
  if (size_bytes > std::numeric_limits<size_t>::max() - kHugePage) return nullptr;
  uint8_t* mapped = map_pages(size_bytes + kHugePage);
  if (mapped == nullptr) return nullptr;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  uint8_t* data = mapped + -reinterpret_cast<uintptr_t>(mapped) % kHugePage;
  uint8_t* end = data + (size_bytes + page - 1) / page * page;
  if (data != mapped) ::munmap(mapped, data - mapped);
  if (mapped + size_bytes + kHugePage > end) ::munmap(end, mapped + size_bytes + kHugePage - end);
  ::madvise(data, size_bytes, MADV_HUGEPAGE);
  return data;
}

uint8_t* map(size_t size_bytes, AlignedBuffer::Pages pages) {
  return pages == AlignedBuffer::Pages::kHuge ? map_huge_pages(size_bytes) : map_pages(size_bytes);
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
  buffer.data_ = size_bytes >= kMapFromBytes ? map(size_bytes, pages) : allocate_small(size_bytes);
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
