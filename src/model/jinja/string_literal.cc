#include "model/jinja/string_literal.h"

#include <fmt/format.h>

#include <charconv>

#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

struct SimpleEscape {
  char letter;
  std::string_view text;
};
constexpr SimpleEscape kSimple[] = {{'n', "\n"},  {'t', "\t"}, {'r', "\r"}, {'b', "\b"},
                                    {'f', "\f"},  {'v', "\v"}, {'a', "\a"}, {'\n', ""},
                                    {'\\', "\\"}, {'\'', "'"}, {'"', "\""}};

const SimpleEscape* find_simple(char letter) {
  for (const SimpleEscape& escape : kSimple) {
    if (escape.letter == letter) return &escape;
  }
  return nullptr;
}

size_t hex_digits(char letter) { return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0; }

// Appends the code point of \x, \u or \U, whose digits begin at `at`; moves `at` behind them.
Status append_hex(std::string& out, std::string_view literal, size_t& at, size_t digits) {
  uint32_t code_point = 0;
  const std::string_view text = literal.substr(at, digits);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), code_point, 16);
  if (text.size() != digits || problem != std::errc() || end != text.data() + digits) {
    return fail(ErrorCode::kBadFile,
                fmt::format("an escape in a string needs {} hexadecimal digits", digits));
  }
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) {
    return fail(ErrorCode::kBadFile,
                fmt::format("the escape U+{:04X} in a string is no character", code_point));
  }
  append_utf8(out, code_point);
  at += digits;
  return {};
}

void append_octal(std::string& out, std::string_view literal, size_t& at) {
  uint32_t code_point = 0;
  for (size_t digits = 0; digits < 3 && at < literal.size() && literal[at] >= '0' && literal[at] <= '7';
       ++digits) {
    code_point = code_point * 8 + static_cast<uint32_t>(literal[at++] - '0');
  }
  append_utf8(out, code_point);
}

}  // namespace

Result<std::string> unescape(std::string_view literal) {
  std::string out;
  for (size_t at = 0; at < literal.size();) {
    if (literal[at] != '\\' || at + 1 == literal.size()) {
      out.push_back(literal[at++]);
      continue;
    }
    const char letter = literal[at + 1];
    if (letter == 'N') return fail(ErrorCode::kUnsupported, "the escape \\N{…} in a string is not supported");
    if (letter >= '0' && letter <= '7') {
      append_octal(out, literal, ++at);
      continue;
    }
    at += 2;
    if (const SimpleEscape* simple = find_simple(letter)) {
      out += simple->text;
    } else if (const size_t digits = hex_digits(letter)) {
      HB_TRY(append_hex(out, literal, at, digits));
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace hb::jinja
