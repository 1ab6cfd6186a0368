// What a GGUF file says before its data: metadata and tensor descriptions, laid out in memory to be written.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gguf.h"
#include "model/gguf_value.h"
#include "quant/tensor_type.h"

namespace hb {

// Writes version 3. Keys and tensors keep the order in which they are added.
// REQUIRES: keys and tensor names are not empty and not repeated.
class GgufHeader {
 public:
  struct Tensor {
    std::string name;
    TensorType type;
    std::vector<uint64_t> dims;  // as in GgufTensor
    uint64_t data_offset;        // from the start of the data section
    uint64_t size_bytes;
  };

  // `alignment` of the data, in bytes: a power of two of at least 8. Another than 32 is noted in the
  // metadata.
  explicit GgufHeader(uint32_t alignment = 32);

  template <GgufScalar T>
  void set(std::string_view key, T value) {
    begin_pair(key, kGgufKindOf<T>);
    append(&value, sizeof value);
  }
  void set(std::string_view key, std::string_view text);
  void set(std::string_view key, const GgufValue& value);  // a copy from another file

  template <GgufScalar T>
  void set_array(std::string_view key, std::span<const T> values) {
    begin_array(key, kGgufKindOf<T>, values.size());
    append(values.data(), values.size_bytes());
  }
  void set_strings(std::string_view key, std::span<const std::string> texts);

  // REQUIRES: 1 to 4 dims, none 0; dims[0] a multiple of the type's block.
  void add_tensor(std::string name, TensorType type, std::vector<uint64_t> dims);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  uint32_t alignment() const { return alignment_; }

  // The file's bytes up to the data section, padding included.
  std::vector<uint8_t> bytes() const;

 private:
  void begin_pair(std::string_view key, GgufKind kind);
  void begin_array(std::string_view key, GgufKind element_kind, uint64_t count);
  void append(const void* data, size_t size_bytes);

  uint32_t alignment_;
  std::set<std::string, std::less<>> names_;  // keys and tensor names, with a prefix each
  uint64_t pair_count_ = 0;
  std::vector<uint8_t> pairs_;
  std::vector<Tensor> tensors_;
};

}  // namespace hb
