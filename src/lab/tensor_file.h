// A file that holds one float tensor: .npy, or nothing but little-endian elements.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "lab/npy.h"

namespace hb {

// How to read files whose name does not end in ".npy".
struct RawTensorFormat {
  std::optional<FloatType> type;  // required for such a file
  std::optional<std::vector<uint64_t>>
      shape;  // checked against the file's size; absent: whatever the file holds
};

// OWNS the mapped file; elements live as long as this.
struct TensorFile {
  std::unique_ptr<MappedFile> file;
  FloatType type = FloatType::kF32;
  std::optional<std::vector<uint64_t>> shape;  // absent for a raw file without a given shape
  std::span<const uint8_t> elements;           // count x size_of(type) bytes, at least one element
  uint64_t count() const { return elements.size() / size_of(type); }
};

// ERRORS: those of MappedFile and parse_npy; kInvalidArgument if a raw file comes without a type; kBadFile if
// its size does not fit type and shape, or if there is no element. All name the file.
Result<TensorFile> open_tensor(const std::string& path, const RawTensorFormat& raw);

}  // namespace hb
