// The bytes of one GGUF file become metadata and tensors. Internal to gguf.cc, which joins split files.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/byte_cursor.h"
#include "model/gguf.h"

namespace hb {

// One file, checked whole: every value, string element and tensor lies inside the bytes. BORROWS the bytes.
struct GgufPart {
  uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
};

class GgufParser {
 public:
  // ERRORS: kBadFile and kUnsupported; messages begin with the offset, then name the key or tensor.
  static Result<GgufPart> parse(std::span<const uint8_t> bytes);

 private:
  explicit GgufParser(std::span<const uint8_t> bytes) : bytes_(bytes), cursor_(bytes) {}

  Status parse_header();
  Status parse_pair(uint64_t index);
  Status parse_value(GgufValue* value);
  Status parse_array(GgufValue* value);
  Status read_kind(GgufKind* kind);
  Status parse_alignment();
  Status parse_tensor_info(uint64_t index);
  Status parse_tensor_body(GgufTensor* tensor);
  Status locate_tensors();

  std::span<const uint8_t> bytes_;
  ByteCursor cursor_;
  uint64_t tensor_count_ = 0;
  uint64_t pair_count_ = 0;
  uint64_t alignment_ = 32;
  GgufPart part_;
};

}  // namespace hb
