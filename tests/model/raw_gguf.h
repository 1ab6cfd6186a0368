// GGUF files written number by number, so that tests can lie in any of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gguf.h"
#include "model/gguf_value.h"

namespace hb::test {

class RawGguf {
 public:
  // A file without magic and counts yet.
  RawGguf() = default;
  // The 24 bytes in front.
  RawGguf(uint64_t tensors, uint64_t pairs, uint32_t version = 3, std::string_view magic = "GGUF") {
    text(magic).u32(version).u64(tensors).u64(pairs);
  }

  template <class T>
  RawGguf& number(T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  RawGguf& u32(uint32_t value) { return number(value); }
  RawGguf& u64(uint64_t value) { return number(value); }
  RawGguf& text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  RawGguf& string(std::string_view value) { return u64(value.size()).text(value); }
  RawGguf& key(std::string_view name, GgufKind kind) { return string(name).number(kind); }
  template <GgufScalar T>
  RawGguf& pair(std::string_view name, T value) {
    return key(name, kGgufKindOf<T>).number(value);
  }
  // dims.size() dimensions, F32 unless told.
  RawGguf& tensor(std::string_view name, const std::vector<uint64_t>& dims, uint64_t offset = 0,
                  uint32_t type = 0) {
    string(name).u32(static_cast<uint32_t>(dims.size()));
    for (const uint64_t dim : dims) u64(dim);
    return u32(type).u64(offset);
  }
  // Zeros up to a multiple of `alignment`, then `size_bytes` zeros.
  RawGguf& data(size_t size_bytes, size_t alignment = 32) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment + size_bytes);
    return *this;
  }

  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace hb::test
