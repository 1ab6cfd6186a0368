// Small text files in which the system describes itself (/proc, /sys). Tests answer from canned text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hb {

class SystemFiles {
 public:
  virtual ~SystemFiles() = default;
  // The file's text, at most 1 MiB of it; nothing if it cannot be read.
  virtual std::optional<std::string> read(const std::string& path) const;

  // The first line, without spaces around it; nothing if the file cannot be read.
  std::optional<std::string> read_line(const std::string& path) const;
  // The unsigned number at the beginning of the file; nothing if there is none or it does not fit.
  std::optional<uint64_t> read_number(const std::string& path) const;
};

// The unsigned number at the beginning of `text`, after spaces; nothing if there is none or it does not fit.
std::optional<uint64_t> leading_number(std::string_view text);
std::string_view trim(std::string_view text);

}  // namespace hb
