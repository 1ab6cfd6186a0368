// Reads little-endian numbers and strings off foreign bytes, and never past their end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace hb {

static_assert(std::endian::native == std::endian::little, "GGUF files are read in place");

// BORROWS the bytes. Every read either succeeds whole or returns false and moves nothing.
class ByteCursor {
 public:
  explicit ByteCursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return bytes_.size() - offset_; }

  bool take(uint64_t size, std::span<const uint8_t>* out) {
    if (size > remaining()) return false;
    *out = bytes_.subspan(offset_, size);
    offset_ += size;
    return true;
  }

  template <class T>
  bool read(T* out) {
    if (sizeof(T) > remaining()) return false;
    std::memcpy(out, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return true;
  }

  // A GGUF string: its length as uint64, then its bytes.
  bool read_string(std::string_view* out) {
    uint64_t size = 0;
    const uint64_t start = offset_;
    std::span<const uint8_t> text;
    if (!read(&size) || !take(size, &text)) {
      offset_ = start;
      return false;
    }
    *out = {reinterpret_cast<const char*>(text.data()), text.size()};
    return true;
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t offset_ = 0;
};

}  // namespace hb
