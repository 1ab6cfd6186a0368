#include "model/key_reader.h"

#include <fmt/format.h>

#include "model/gguf_value.h"
#include "model/printable.h"

namespace hb {
namespace {

std::string describe_value(const GgufValue& value) {
  if (const auto text = value.as_string()) return fmt::format("'{}'", printable(*text));
  if (const auto integer = value.as_i64()) return fmt::format("{}", *integer);
  const auto number = value.as_f64();
  if (number && value.kind() == GgufKind::kF32) return fmt::format("{}", static_cast<float>(*number));
  if (number) return fmt::format("{}", *number);
  return fmt::format("{} of {}", gguf_kind_name(value.kind()), value.count());
}

}  // namespace

std::string KeyReader::full(std::string_view key) const { return fmt::format("{}.{}", prefix_, key); }

std::string KeyReader::describe(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return fmt::format("key '{}' is missing", full(key));
  return fmt::format("offset {}: key '{}' is {}", value->file_offset(), full(key), describe_value(*value));
}

Error KeyReader::bad(std::string_view key, std::string_view expected) const {
  return {ErrorCode::kBadFile, fmt::format("{}; {} was expected", describe(key), expected)};
}

Error KeyReader::unsupported(std::string_view key, std::string_view why) const {
  return {ErrorCode::kUnsupported, fmt::format("{}: {}, which halfbyte does not run", describe(key), why)};
}

Result<uint32_t> KeyReader::count(std::string_view key, CountRange range,
                                  std::optional<uint32_t> fallback) const {
  if (fallback && !has(key)) return *fallback;
  const GgufValue* value = find(key);
  const auto number = value ? value->as_u64() : std::nullopt;
  if (number && *number >= range.least && *number <= range.most) return static_cast<uint32_t>(*number);
  return std::unexpected(bad(key, fmt::format("an integer from {} to {}", range.least, range.most)));
}

Result<float> KeyReader::number(std::string_view key, FloatRange range, std::optional<float> fallback) const {
  if (fallback && !has(key)) return *fallback;
  const GgufValue* value = find(key);
  const auto number = value ? value->as_f64() : std::nullopt;
  // NaN fails both comparisons.
  if (number && *number >= range.least && *number <= range.most) return static_cast<float>(*number);
  return std::unexpected(bad(key, fmt::format("a number from {} to {}", range.least, range.most)));
}

Result<float> KeyReader::number_or_zero(std::string_view key, FloatRange range) const {
  const GgufValue* value = find(key);
  if (value == nullptr || value->as_f64() == 0.0) return 0.0f;
  if (const auto number = this->number(key, range)) return *number;
  return std::unexpected(bad(key, fmt::format("0 or a number from {} to {}", range.least, range.most)));
}

Result<std::string> KeyReader::text(std::string_view key, std::string_view fallback) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::string(fallback);
  if (const auto text = value->as_string()) return std::string(*text);
  return std::unexpected(bad(key, "a string"));
}

}  // namespace hb
