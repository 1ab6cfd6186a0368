// The element types a GGUF tensor may have, and how their blocks are laid out in the file.
#pragma once

#include <cstdint>
#include <optional>

namespace hb {

// Values are GGUF's own type numbers.
enum class TensorType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kBF16 = 30,
};

struct TensorTypeInfo {
  TensorType type;
  const char* name;      // as GGUF tools print it: "Q4_0"
  uint32_t block_elems;  // consecutive elements of a row that share a block: 1, 32 or 256
  uint32_t block_bytes;
};

// Nothing for a number that is no type, or a type that halfbyte does not read.
std::optional<TensorTypeInfo> tensor_type_info(uint32_t gguf_type_number);

// REQUIRES: `type` is one of the enumerators.
const TensorTypeInfo& tensor_type_info(TensorType type);

// Bytes of a row of `cols` elements. REQUIRES: cols is a multiple of the type's block_elems.
inline uint64_t row_bytes(TensorType type, uint64_t cols) {
  const TensorTypeInfo& info = tensor_type_info(type);
  return cols / info.block_elems * info.block_bytes;
}

inline const char* tensor_type_name(TensorType type) { return tensor_type_info(type).name; }

}  // namespace hb
