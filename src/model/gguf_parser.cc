#include "model/gguf_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "model/gguf_value.h"
#include "model/printable.h"

namespace hb {
namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint64_t kMaxPairs = 1 << 16;
constexpr uint64_t kMaxTensors = 1 << 17;
constexpr uint64_t kMaxKeyBytes = 65535;
constexpr uint64_t kMaxTensorNameBytes = 64;
constexpr uint64_t kMinAlignment = 8;
constexpr uint64_t kMaxAlignment = 65536;
// The smallest a pair and a tensor can be in the file: they bound the counts before anything is stored.
constexpr uint64_t kMinPairBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

Status bad_at(uint64_t offset, std::string_view what) {
  return fail(ErrorCode::kBadFile, fmt::format("offset {}: {}", offset, what));
}

// a * b, or false if that is 2^63 or more.
bool multiply(uint64_t a, uint64_t b, uint64_t* product) {
  return !__builtin_mul_overflow(a, b, product) && *product <= std::numeric_limits<int64_t>::max();
}

uint64_t round_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

Status check_version(uint32_t version) {
  if (version == 2 || version == 3) return {};
  if ((version & 0xffff) == 0 && version != 0) {
    return fail(ErrorCode::kUnsupported,
                "offset 4: a big-endian GGUF file; convert it to little-endian (gguf-convert-endian)");
  }
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("offset 4: GGUF version {}; halfbyte reads 2 and 3: convert the model again", version));
}

struct CountLimits {
  uint64_t most;
  uint64_t fitting;  // in the rest of the file
};

Status check_count(uint64_t offset, uint64_t count, const char* what, CountLimits limits) {
  if (count > limits.fitting) {
    return bad_at(offset,
                  fmt::format("{} {} announced, the file has room for {}", count, what, limits.fitting));
  }
  if (count > limits.most) {
    return bad_at(offset, fmt::format("{} {} announced, the limit is {}", count, what, limits.most));
  }
  return {};
}

// Bytes that a tensor of these dimensions takes in the file.
Result<uint64_t> tensor_bytes(const GgufTensor& tensor) {
  const TensorTypeInfo& info = tensor_type_info(tensor.type);
  if (tensor.dims[0] % info.block_elems != 0) {
    return fail(ErrorCode::kBadFile,
                fmt::format("its rows of {} elements are no multiple of {}'s blocks of {}", tensor.dims[0],
                            info.name, info.block_elems));
  }
  uint64_t elems = 1;
  uint64_t bytes = 0;
  for (const uint64_t dim : tensor.dims) {
    if (!multiply(elems, dim, &elems)) {
      return fail(ErrorCode::kBadFile, "its dimensions multiply to more than 2^63 elements");
    }
  }
  if (!multiply(elems / info.block_elems, info.block_bytes, &bytes)) {
    return fail(ErrorCode::kBadFile,
                fmt::format("{} elements of {} are more than 2^63 bytes", elems, info.name));
  }
  return bytes;
}

}  // namespace

Result<GgufPart> GgufParser::parse(std::span<const uint8_t> bytes) {
  GgufParser parser(bytes);
  HB_TRY(parser.parse_header());
  for (uint64_t i = 0; i < parser.pair_count_; ++i) HB_TRY(parser.parse_pair(i));
  HB_TRY(parser.parse_alignment());
  for (uint64_t i = 0; i < parser.tensor_count_; ++i) HB_TRY(parser.parse_tensor_info(i));
  HB_TRY(parser.locate_tensors());
  return std::move(parser.part_);
}

Status GgufParser::parse_header() {
  uint32_t magic = 0;
  const bool has_magic = cursor_.read(&magic) && magic == kMagic;
  if (!has_magic) return bad_at(0, "no GGUF file (it does not begin with 'GGUF')");
  if (!cursor_.read(&part_.version)) return bad_at(4, "the file ends inside the version");
  HB_TRY(check_version(part_.version));
  if (!cursor_.read(&tensor_count_)) return bad_at(8, "the file ends inside the number of tensors");
  if (!cursor_.read(&pair_count_)) return bad_at(16, "the file ends inside the number of metadata values");
  const uint64_t left = cursor_.remaining();
  HB_TRY(check_count(8, tensor_count_, "tensors", {kMaxTensors, left / kMinTensorBytes}));
  return check_count(16, pair_count_, "metadata values", {kMaxPairs, left / kMinPairBytes});
}

Status GgufParser::parse_pair(uint64_t index) {
  const uint64_t start = cursor_.offset();
  std::string_view key;
  if (!cursor_.read_string(&key)) {
    return bad_at(start, fmt::format("the key of metadata value {} reaches past the end of the file", index));
  }
  if (key.empty()) return bad_at(start, fmt::format("metadata value {} has an empty key", index));
  if (key.size() > kMaxKeyBytes || !is_printable_utf8(key)) {
    return bad_at(start,
                  fmt::format("key '{}' is too long, no UTF-8, or has control characters", printable(key)));
  }
  const auto [entry, is_new] = part_.metadata.try_emplace(std::string(key));
  if (!is_new) return bad_at(start, fmt::format("key '{}' is there twice", printable(key)));
  if (Status status = parse_value(&entry->second); !status) {
    return fail(status.error().code,
                fmt::format("offset {}: key '{}': {}", start, printable(key), status.error().message));
  }
  return {};
}

Status GgufParser::read_kind(GgufKind* kind) {
  const uint64_t start = cursor_.offset();
  uint32_t number = 0;
  if (!cursor_.read(&number)) return bad_at(start, "the file ends inside the value's type");
  if (number > static_cast<uint32_t>(GgufKind::kF64)) {
    return bad_at(start, fmt::format("{} is no type of a metadata value", number));
  }
  *kind = static_cast<GgufKind>(number);
  return {};
}

Status GgufParser::parse_value(GgufValue* value) {
  HB_TRY(read_kind(&value->kind_));
  value->element_kind_ = value->kind_;
  value->file_offset_ = cursor_.offset();
  if (value->kind_ == GgufKind::kArray) return parse_array(value);
  if (value->kind_ == GgufKind::kString) {
    std::string_view text;
    if (!cursor_.read_string(&text)) {
      return bad_at(value->file_offset_, "the string reaches past the end of the file");
    }
    if (!is_text_utf8(text)) return bad_at(value->file_offset_, "the string is no UTF-8, or has a NUL in it");
    value->bytes_ = {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
    return {};
  }
  if (!cursor_.take(gguf_kind_bytes(value->kind_), &value->bytes_)) {
    return bad_at(value->file_offset_,
                  fmt::format("the file ends inside the {}", gguf_kind_name(value->kind_)));
  }
  if (value->kind_ == GgufKind::kBool && value->bytes_[0] > 1) {
    return bad_at(value->file_offset_, fmt::format("a bool of {}; it may be 0 or 1", value->bytes_[0]));
  }
  return {};
}

Status GgufParser::parse_array(GgufValue* value) {
  const uint64_t start = cursor_.offset();
  HB_TRY(read_kind(&value->element_kind_));
  if (value->element_kind_ == GgufKind::kArray) {
    return fail(ErrorCode::kUnsupported, fmt::format("offset {}: an array of arrays", start));
  }
  if (!cursor_.read(&value->count_)) return bad_at(start, "the file ends inside the array's length");
  const bool strings = value->element_kind_ == GgufKind::kString;
  const uint64_t smallest = strings ? sizeof(uint64_t) : gguf_kind_bytes(value->element_kind_);
  if (value->count_ > cursor_.remaining() / smallest) {
    return bad_at(start, fmt::format("an array of {} {}s, longer than the rest of the file", value->count_,
                                     gguf_kind_name(value->element_kind_)));
  }
  const uint64_t first = cursor_.offset();
  if (!strings) {
    cursor_.take(value->count_ * smallest, &value->bytes_);
  } else {
    for (uint64_t i = 0; i < value->count_; ++i) {
      std::string_view skipped;
      if (!cursor_.read_string(&skipped)) {
        return bad_at(cursor_.offset(), fmt::format("string {} reaches past the end of the file", i));
      }
    }
    value->bytes_ = bytes_.subspan(first, cursor_.offset() - first);
  }
  const auto is_bool = [](uint8_t byte) { return byte <= 1; };
  if (value->element_kind_ == GgufKind::kBool && !std::ranges::all_of(value->bytes_, is_bool)) {
    return bad_at(first, "an array of bools with values other than 0 and 1");
  }
  return {};
}

Status GgufParser::parse_alignment() {
  const auto found = part_.metadata.find("general.alignment");
  if (found == part_.metadata.end()) return {};
  const GgufValue& value = found->second;
  if (value.kind() != GgufKind::kU32) {
    return bad_at(value.file_offset(), fmt::format("key 'general.alignment' is of type {}; u32 was expected",
                                                   gguf_kind_name(value.kind())));
  }
  alignment_ = *value.as_u64();
  if (!std::has_single_bit(alignment_) || alignment_ < kMinAlignment || alignment_ > kMaxAlignment) {
    return bad_at(value.file_offset(),
                  fmt::format("key 'general.alignment' is {}; a power of two from {} to {} was expected",
                              alignment_, kMinAlignment, kMaxAlignment));
  }
  return {};
}

Status GgufParser::parse_tensor_info(uint64_t index) {
  const uint64_t start = cursor_.offset();
  std::string_view name;
  if (!cursor_.read_string(&name)) {
    return bad_at(start, fmt::format("the name of tensor {} reaches past the end of the file", index));
  }
  if (name.empty() || name.size() > kMaxTensorNameBytes || !is_printable_utf8(name)) {
    return bad_at(start,
                  fmt::format("tensor {}: its name '{}' is empty, longer than {} bytes, no UTF-8, or has "
                              "control characters",
                              index, printable(name), kMaxTensorNameBytes));
  }
  GgufTensor tensor;
  tensor.name = name;
  if (Status status = parse_tensor_body(&tensor); !status) {
    return fail(status.error().code,
                fmt::format("offset {}: tensor '{}': {}", start, printable(name), status.error().message));
  }
  part_.tensors.push_back(std::move(tensor));
  return {};
}

// Leaves the offset in the data section in file_offset; locate_tensors() makes it absolute.
Status GgufParser::parse_tensor_body(GgufTensor* tensor) {
  uint32_t dim_count = 0;
  uint32_t type = 0;
  if (!cursor_.read(&dim_count))
    return fail(ErrorCode::kBadFile, "the file ends inside its number of dimensions");
  if (dim_count < 1 || dim_count > 4) {
    return fail(ErrorCode::kBadFile, fmt::format("it has {} dimensions; 1 to 4 are possible", dim_count));
  }
  tensor->dims.resize(dim_count);
  for (uint64_t& dim : tensor->dims) {
    if (!cursor_.read(&dim)) return fail(ErrorCode::kBadFile, "the file ends inside its dimensions");
    if (dim == 0 || dim > std::numeric_limits<int64_t>::max()) {
      return fail(ErrorCode::kBadFile, fmt::format("a dimension of {}", static_cast<int64_t>(dim)));
    }
  }
  if (!cursor_.read(&type)) return fail(ErrorCode::kBadFile, "the file ends inside its type");
  const auto info = tensor_type_info(type);
  if (!info) {
    return fail(ErrorCode::kUnsupported, fmt::format("its type is number {}, which halfbyte does not read",
                                                     static_cast<int32_t>(type)));
  }
  tensor->type = info->type;
  if (!cursor_.read(&tensor->file_offset))
    return fail(ErrorCode::kBadFile, "the file ends inside its offset");
  HB_TRY(tensor_bytes(*tensor));
  return {};
}

// The data section begins at the next aligned offset, and its tensors follow one another in order, each
// aligned.
Status GgufParser::locate_tensors() {
  const uint64_t data_start = round_up(cursor_.offset(), alignment_);
  uint64_t expected = 0;
  for (GgufTensor& tensor : part_.tensors) {
    const uint64_t size = *tensor_bytes(tensor);
    const auto bad_tensor = [&tensor](uint64_t offset, std::string_view what) {
      return bad_at(offset, fmt::format("tensor '{}': {}", printable(tensor.name), what));
    };
    if (tensor.file_offset != expected) {
      return bad_tensor(data_start,
                        fmt::format("its data are said to begin {} bytes from here; {} was expected "
                                    "(tensors follow one another, aligned to {})",
                                    tensor.file_offset, expected, alignment_));
    }
    const uint64_t available = bytes_.size() > data_start ? bytes_.size() - data_start : 0;
    if (expected > available || size > available - expected) {
      return bad_tensor(data_start + expected,
                        fmt::format("its {} bytes reach past the end of the file ({} bytes); "
                                    "was the download cut short?",
                                    size, bytes_.size()));
    }
    tensor.file_offset = data_start + expected;
    tensor.bytes = bytes_.subspan(tensor.file_offset, size);
    expected = round_up(expected + size, alignment_);
  }
  return {};
}

}  // namespace hb
