// A GGUF model file (versions 2 and 3, little-endian), read without trusting a byte of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "quant/tensor_type.h"

namespace hb {

// GGUF's own numbers for the types of metadata values.
enum class GgufKind : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// One metadata value. BORROWS the file's bytes: a view that lives as long as its GgufFile.
class GgufValue {
 public:
  GgufKind kind() const { return kind_; }
  GgufKind element_kind() const { return element_kind_; }  // of an array; otherwise kind()
  uint64_t count() const { return count_; }                // elements of an array; otherwise 1
  // Its bytes in the file: an array without its kind and length, a single string without its length.
  std::span<const uint8_t> bytes() const { return bytes_; }
  uint64_t file_offset() const { return file_offset_; }  // where the value's bytes begin, for messages

  // Scalars. Nothing if the kind or the range does not fit: integers convert to each other only without loss.
  std::optional<uint64_t> as_u64() const;
  std::optional<int64_t> as_i64() const;
  std::optional<double> as_f64() const;  // of any number
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;

  // Arrays, whole. Nothing if the elements are not of that family. Bools are integers 0 and 1 here.
  // Elements of as_strings() are bytes as they lie in the file: they may be empty, hold NUL, or be no UTF-8.
  std::optional<std::vector<std::string_view>> as_strings() const;
  std::optional<std::vector<int64_t>> as_integers() const;
  std::optional<std::vector<float>> as_floats() const;

 private:
  friend class GgufParser;
  GgufKind kind_ = GgufKind::kU8;
  GgufKind element_kind_ = GgufKind::kU8;
  uint64_t count_ = 1;
  uint64_t file_offset_ = 0;
  std::span<const uint8_t> bytes_;  // checked to hold count_ elements
};

// One tensor. BORROWS the file's bytes.
struct GgufTensor {
  std::string name;
  TensorType type = TensorType::kF32;
  std::vector<uint64_t>
      dims;  // 1 to 4, GGUF's order: dims[0] is the length of a row (K), dims[1] the rows (N)
  std::span<const uint8_t> bytes;  // exactly the tensor's blocks, row after row
  uint64_t file_offset = 0;        // of bytes, in its file
  uint32_t file_index = 0;         // which of the split files

  uint64_t row_elems() const { return dims[0]; }
  uint64_t rows() const;  // product of the other dimensions
};

// OWNS the mappings of its files.
// THREADS: all const methods may be called from any thread.
class GgufFile {
 public:
  // Opens `path`; if it is one part of a split model ("name-00001-of-00003.gguf"), opens all its parts.
  // ERRORS: kNotFound, kIo, kBadFile (with file, byte offset and the key or tensor), kUnsupported.
  static Result<std::unique_ptr<GgufFile>> open(const std::string& path);

  // Parses bytes that the caller keeps alive: for tests and fuzzing. One part of several is a kBadFile.
  static Result<std::unique_ptr<GgufFile>> parse(std::span<const uint8_t> bytes);

  uint32_t version() const { return version_; }
  const std::string& path() const { return path_; }

  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }
  const GgufValue* find(std::string_view key) const;  // null if absent

  // Required values: an error that names the key, what is there, and what was expected.
  Result<uint64_t> get_u64(std::string_view key) const;
  Result<double> get_f64(std::string_view key) const;
  Result<std::string> get_string(std::string_view key) const;
  // Optional values: `fallback` if absent, still an error if of the wrong kind.
  Result<uint64_t> get_u64(std::string_view key, uint64_t fallback) const;
  Result<double> get_f64(std::string_view key, double fallback) const;
  Result<bool> get_bool(std::string_view key, bool fallback) const;

  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* find_tensor(std::string_view name) const;  // null if absent

  // Sum over the split files, and an error if one of them changed under us (see MappedFile::intact).
  uint64_t file_size_bytes() const;
  Status intact() const;
  // These bytes, a tensor's or a part of one, will not be read again (see MappedFile::release). THREADS: any.
  void release(std::span<const uint8_t> bytes) const;

 private:
  GgufFile() = default;
  Status open_parts(const std::string& path);
  Status open_part(const std::string& path);
  Status add_part(std::span<const uint8_t> bytes);

  std::string path_;
  uint32_t version_ = 0;
  uint64_t size_bytes_ = 0;
  uint32_t part_count_ = 0;                         // parts added so far
  std::vector<std::unique_ptr<MappedFile>> files_;  // one a part; none after parse()
  std::map<std::string, GgufValue, std::less<>> metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, size_t, std::less<>> tensor_index_;
};

// The tensor `name`, whose dims are exactly `dims`.
// ERRORS: kNotFound if it is missing, kBadFile with both shapes if they differ.
Result<const GgufTensor*> require_tensor(const GgufFile& file, std::string_view name,
                                         std::initializer_list<uint64_t> dims);

}  // namespace hb
