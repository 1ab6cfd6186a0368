// The header of NumPy's .npy files, versions 1 and 2: one float tensor in C order, read without trusting a
// byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace hb {

enum class FloatType { kF16, kF32 };  // little-endian

inline size_t size_of(FloatType type) { return type == FloatType::kF16 ? 2 : 4; }
const char* float_type_name(FloatType type);  // "f16", "f32"

struct NpyHeader {
  FloatType type = FloatType::kF32;
  std::vector<uint64_t> shape;  // empty for a single number
  size_t data_offset = 0;       // bytes; the elements are the rest of the file
};

// The number of elements of a shape; nothing if it is beyond 2^62.
Result<uint64_t> elements_of(std::span<const uint64_t> shape);

// `file` is the whole file. The data is checked to have exactly the size that type and shape say.
// ERRORS: kBadFile with the byte offset; kUnsupported for other types, orders and versions.
Result<NpyHeader> parse_npy(std::span<const uint8_t> file);

}  // namespace hb
