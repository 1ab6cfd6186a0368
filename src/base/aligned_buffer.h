// Zeroed memory at a cache line's boundary, for weights, activations and tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace hb {

// OWNS its bytes. Move-only. Large buffers are mapped directly from the system, so that pages cost memory
// only once they are touched. THREADS: as plain memory.
class AlignedBuffer {
 public:
  static constexpr size_t kAlignment = 64;            // bytes
  static constexpr size_t kMapFromBytes = 256 << 10;  // from this size on, pages come from mmap

  enum class Pages {
    kNormal,
    kHuge
  };  // kHuge: a mapped buffer begins at a multiple of 2 MiB and asks for huge pages; never an error

  AlignedBuffer() = default;  // empty
  // ERRORS: kOutOfMemory, with the size. A size of 0 gives an empty buffer.
  static Result<AlignedBuffer> allocate(size_t size_bytes, Pages pages = Pages::kNormal);

  ~AlignedBuffer() { release(); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }

  size_t size_bytes() const { return size_bytes_; }
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }

  // The buffer as whole elements of T.
  template <class T>
  std::span<T> as() {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    return {reinterpret_cast<T*>(data_), size_bytes_ / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    return {reinterpret_cast<const T*>(data_), size_bytes_ / sizeof(T)};
  }

 private:
  void release();

  uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace hb
