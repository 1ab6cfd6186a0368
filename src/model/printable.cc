#include "model/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

namespace hb {
namespace {

constexpr size_t kLongest = 80;

// Calls `accepts` with each code point; false if it says so once, or if the text is not UTF-8.
template <class Predicate>
bool all_code_points(std::string_view text, Predicate accepts) {
  const auto* data = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(data, left, &code_point);
    if (used <= 0 || !accepts(code_point)) return false;
    data += used;
    left -= used;
  }
  return true;
}

bool is_control(utf8proc_int32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
}

}  // namespace

bool is_printable_utf8(std::string_view text) {
  return all_code_points(text, [](utf8proc_int32_t code_point) { return !is_control(code_point); });
}

bool is_text_utf8(std::string_view text) {
  return all_code_points(text, [](utf8proc_int32_t code_point) { return code_point != 0; });
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kLongest) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

}  // namespace hb
