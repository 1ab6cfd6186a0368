#include "model/gguf_value.h"

#include <cstring>
#include <limits>
#include <utility>

#include "model/byte_cursor.h"

namespace hb {
namespace {

// Calls `use` with the number of that kind at `data`; false if the kind is no number.
template <class Use>
bool with_number(GgufKind kind, const uint8_t* data, Use use) {
  const auto load = [data]<class T>(T value) {
    std::memcpy(&value, data, sizeof(T));
    return value;
  };
  switch (kind) {
    case GgufKind::kU8:
      use(load(uint8_t{}));
      return true;
    case GgufKind::kI8:
      use(load(int8_t{}));
      return true;
    case GgufKind::kU16:
      use(load(uint16_t{}));
      return true;
    case GgufKind::kI16:
      use(load(int16_t{}));
      return true;
    case GgufKind::kU32:
      use(load(uint32_t{}));
      return true;
    case GgufKind::kI32:
      use(load(int32_t{}));
      return true;
    case GgufKind::kU64:
      use(load(uint64_t{}));
      return true;
    case GgufKind::kI64:
      use(load(int64_t{}));
      return true;
    case GgufKind::kF32:
      use(load(float{}));
      return true;
    case GgufKind::kF64:
      use(load(double{}));
      return true;
    default:
      return false;
  }
}

// The integer at `data` as a To, if it is an integer and fits.
template <class To>
std::optional<To> load_integer(GgufKind kind, const uint8_t* data) {
  std::optional<To> result;
  with_number(kind, data, [&result]<class T>(T value) {
    if constexpr (std::is_integral_v<T>) {
      if (std::in_range<To>(value)) result = static_cast<To>(value);
    }
  });
  return result;
}

}  // namespace

const char* gguf_kind_name(GgufKind kind) {
  switch (kind) {
    case GgufKind::kU8:
      return "u8";
    case GgufKind::kI8:
      return "i8";
    case GgufKind::kU16:
      return "u16";
    case GgufKind::kI16:
      return "i16";
    case GgufKind::kU32:
      return "u32";
    case GgufKind::kI32:
      return "i32";
    case GgufKind::kF32:
      return "f32";
    case GgufKind::kBool:
      return "bool";
    case GgufKind::kString:
      return "string";
    case GgufKind::kArray:
      return "array";
    case GgufKind::kU64:
      return "u64";
    case GgufKind::kI64:
      return "i64";
    case GgufKind::kF64:
      return "f64";
  }
  return "unknown";
}

uint32_t gguf_kind_bytes(GgufKind kind) {
  switch (kind) {
    case GgufKind::kU8:
    case GgufKind::kI8:
    case GgufKind::kBool:
      return 1;
    case GgufKind::kU16:
    case GgufKind::kI16:
      return 2;
    case GgufKind::kU32:
    case GgufKind::kI32:
    case GgufKind::kF32:
      return 4;
    case GgufKind::kU64:
    case GgufKind::kI64:
    case GgufKind::kF64:
      return 8;
    case GgufKind::kString:
    case GgufKind::kArray:
      return 0;
  }
  return 0;
}

std::optional<uint64_t> GgufValue::as_u64() const { return load_integer<uint64_t>(kind_, bytes_.data()); }

std::optional<int64_t> GgufValue::as_i64() const { return load_integer<int64_t>(kind_, bytes_.data()); }

std::optional<double> GgufValue::as_f64() const {
  std::optional<double> result;
  with_number(kind_, bytes_.data(), [&result](auto value) { result = static_cast<double>(value); });
  return result;
}

std::optional<bool> GgufValue::as_bool() const {
  if (kind_ != GgufKind::kBool) return std::nullopt;
  return bytes_[0] != 0;
}

std::optional<std::string_view> GgufValue::as_string() const {
  if (kind_ != GgufKind::kString) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
}

std::optional<std::vector<std::string_view>> GgufValue::as_strings() const {
  if (kind_ != GgufKind::kArray || element_kind_ != GgufKind::kString) return std::nullopt;
  std::vector<std::string_view> result(count_);
  ByteCursor cursor(bytes_);
  for (std::string_view& text : result) {
    // Was checked when the file was opened; a file that somebody rewrites in place may differ now.
    if (!cursor.read_string(&text)) return std::nullopt;
  }
  return result;
}

std::optional<std::vector<int64_t>> GgufValue::as_integers() const {
  if (kind_ != GgufKind::kArray) return std::nullopt;
  const GgufKind kind = element_kind_ == GgufKind::kBool ? GgufKind::kU8 : element_kind_;
  const uint32_t size = gguf_kind_bytes(kind);
  if (size == 0 || kind == GgufKind::kF32 || kind == GgufKind::kF64) return std::nullopt;
  std::vector<int64_t> result(count_);
  for (uint64_t i = 0; i < count_; ++i) {
    const std::optional<int64_t> value = load_integer<int64_t>(kind, bytes_.data() + i * size);
    if (!value) return std::nullopt;
    result[i] = *value;
  }
  return result;
}

std::optional<std::vector<float>> GgufValue::as_floats() const {
  if (kind_ != GgufKind::kArray) return std::nullopt;
  if (element_kind_ != GgufKind::kF32 && element_kind_ != GgufKind::kF64) return std::nullopt;
  const uint32_t size = gguf_kind_bytes(element_kind_);
  std::vector<float> result(count_);
  for (uint64_t i = 0; i < count_; ++i) {
    with_number(element_kind_, bytes_.data() + i * size,
                [&](auto value) { result[i] = static_cast<float>(value); });
  }
  return result;
}

}  // namespace hb
