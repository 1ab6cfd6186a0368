#include "fetch/response_headers.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace hb {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::optional<uint64_t> as_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void ResponseHeaders::add_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {};
    const auto space = line.find(' ');
    if (space != line.npos) status_ = static_cast<int>(as_number(line.substr(space + 1, 3)).value_or(0));
    return;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  const std::string name = lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag" && !value.starts_with("W/")) etag_ = value;
  if (name == "last-modified") last_modified_ = value;
  if (name == "content-length") content_length_ = as_number(value);
  if (name == "content-range") add_content_range(value);
}

// "bytes 100-199/1000", "bytes 100-199/*" or "bytes */1000".
void ResponseHeaders::add_content_range(std::string_view value) {
  if (!value.starts_with("bytes ")) return;
  value.remove_prefix(6);
  const auto slash = value.find('/');
  if (slash == value.npos) return;
  range_total_ = as_number(value.substr(slash + 1));
  range_begin_ = as_number(value.substr(0, std::min(value.find('-'), slash)));
}

std::optional<uint64_t> ResponseHeaders::full_size_bytes() const {
  return range_total_ || status_ == 206 || status_ == 416 ? range_total_ : content_length_;
}

}  // namespace hb
