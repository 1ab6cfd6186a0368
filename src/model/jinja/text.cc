#include "model/jinja/text.h"

#include <utf8proc.h>

namespace hb::jinja {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace

size_t decode_one(std::string_view utf8, size_t at, char32_t& code_point) {
  const auto lead = static_cast<unsigned char>(utf8[at]);
  if (lead < 0x80) {
    code_point = lead;
    return 1;
  }
  utf8proc_int32_t decoded = -1;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()) + at;
  const utf8proc_ssize_t used =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(utf8.size() - at), &decoded);
  if (used <= 0 || decoded < 0) {
    code_point = kReplacement;
    return 1;
  }
  code_point = static_cast<char32_t>(decoded);
  return static_cast<size_t>(used);
}

std::u32string to_code_points(std::string_view utf8) {
  std::u32string out;
  out.reserve(utf8.size());
  for (size_t at = 0; at < utf8.size();) {
    char32_t c = 0;
    at += decode_one(utf8, at, c);
    out.push_back(c);
  }
  return out;
}

void append_utf8(std::string& out, char32_t code_point) {
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

std::string to_utf8(std::u32string_view code_points) {
  std::string out;
  out.reserve(code_points.size());
  for (const char32_t c : code_points) append_utf8(out, c);
  return out;
}

bool is_ascii(std::string_view bytes) {
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

size_t count_code_points(std::string_view utf8) {
  if (is_ascii(utf8)) return utf8.size();
  size_t count = 0;
  for (size_t at = 0; at < utf8.size(); ++count) {
    char32_t c = 0;
    at += decode_one(utf8, at, c);
  }
  return count;
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_printable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

bool is_alpha(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_word(char32_t c) {
  const auto kind = category(c);
  return c == '_' || is_alpha(c) || (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO);
}

bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU; }
bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL || c == 0xAA || c == 0xBA; }
bool is_title(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }

std::string_view strip_right(std::string_view s) {
  size_t end = 0;  // one past the last code point that is not white space
  for (size_t at = 0; at < s.size();) {
    char32_t c = 0;
    at += decode_one(s, at, c);
    if (!is_space(c)) end = at;
  }
  return s.substr(0, end);
}

std::string_view strip_left(std::string_view s) {
  for (size_t at = 0; at < s.size();) {
    char32_t c = 0;
    const size_t next = at + decode_one(s, at, c);
    if (!is_space(c)) return s.substr(at);
    at = next;
  }
  return {};
}

std::vector<std::string> split_lines(std::string_view s, bool keep_ends) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t at = 0; at < s.size();) {
    char32_t c = 0;
    size_t next = at + decode_one(s, at, c);
    if (is_line_end(c)) {
      if (c == '\r' && next < s.size() && s[next] == '\n') ++next;
      lines.emplace_back(s.substr(begin, (keep_ends ? next : at) - begin));
      begin = next;
    }
    at = next;
  }
  if (begin < s.size()) lines.emplace_back(s.substr(begin));
  return lines;
}

}  // namespace hb::jinja
