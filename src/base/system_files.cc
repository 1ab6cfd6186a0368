#include "base/system_files.h"

#include <charconv>
#include <fstream>

namespace hb {

std::string_view trim(std::string_view text) {
  // Device tree strings end with a zero byte.
  constexpr std::string_view kBlank("\0 \t\r\n", 5);
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<uint64_t> leading_number(std::string_view text) {
  text = trim(text);
  uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::string> SystemFiles::read(const std::string& path) const {
  constexpr size_t kMaxBytes = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::optional<std::string> SystemFiles::read_line(const std::string& path) const {
  const auto text = read(path);
  if (!text) return std::nullopt;
  return std::string(trim(std::string_view(*text).substr(0, text->find('\n'))));
}

std::optional<uint64_t> SystemFiles::read_number(const std::string& path) const {
  const auto text = read(path);
  return text ? leading_number(*text) : std::nullopt;
}

}  // namespace hb
