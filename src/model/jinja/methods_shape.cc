// Methods of strings that answer another string, and the is…() family.
#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/brace_format.h"
#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/string_tools.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

template <std::u32string (*map)(std::u32string_view)>
Result<Value> mapped(Interpreter& in, const Value& self, const Args&) {
  return in.text(to_utf8(map(to_code_points(self.as_string()))), self.markup());
}

std::u32string swap_case(std::u32string_view s) {
  std::u32string out;
  for (size_t i = 0; i < s.size(); ++i) {
    out += is_upper(s[i]) ? to_lower(s.substr(i, 1)) : to_upper(s.substr(i, 1));
  }
  return out;
}

template <bool left, bool right>
Result<Value> stripped(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(std::string s, strip(self.as_string(), args.at(0), left, right));
  return in.text(std::move(s), self.markup());
}

Result<Value> replaced(Interpreter& in, const Value& self, const Args& args) {
  const Value count = args.value_or(2, Value::integer(-1));
  if (!args.at(0).is(Kind::kString) || !args.at(1).is(Kind::kString))
    return wrong("replace() arguments must be str");
  if (!count.integral())
    return wrong(fmt::format("'{}' object cannot be interpreted as an integer", type_name(count)));
  HB_ASSIGN(std::string s,
            replace(in, self.as_string(), args.at(0).as_string(), args.at(1).as_string(), count.as_int()));
  return in.text(std::move(s), self.markup());
}

Result<Value> join(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(Cursor cursor, Cursor::over(in, args.at(0)));
  std::string joined;
  for (bool first = true;; first = false) {
    HB_ASSIGN(const auto item, cursor.next());
    if (!item) return in.text(std::move(joined), self.markup());
    if (!item->is(Kind::kString)) {
      return wrong(fmt::format("sequence item: expected str instance, {} found", type_name(*item)));
    }
    HB_TRY(in.budget().output(joined.size() + self.as_string().size() + item->as_string().size()));
    if (!first) joined += self.as_string();
    joined += item->as_string();
  }
}

template <Align align>
Result<Value> padded(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(std::string s,
            pad(in, self.as_string(), args.at(0), args.value_or(1, Value::string(" ")), align));
  return in.text(std::move(s), self.markup());
}

Result<Value> zfill(Interpreter& in, const Value& self, const Args& args) {
  const std::string& s = self.as_string();
  const size_t sign = !s.empty() && (s[0] == '-' || s[0] == '+') ? 1 : 0;
  HB_ASSIGN(std::string digits, pad(in, s, args.at(0), Value::string("0"), Align::kRight));
  if (sign != 0 && digits.size() > s.size()) {
    std::swap(digits[0], digits[digits.size() - s.size()]);
  }
  return in.text(std::move(digits), self.markup());
}

Result<Value> remove_prefix(Interpreter& in, const Value& self, const Args& args) {
  if (!args.at(0).is(Kind::kString)) return wrong("removeprefix() argument must be str");
  std::string_view s = self.as_string();
  if (s.starts_with(args.at(0).as_string())) s.remove_prefix(args.at(0).as_string().size());
  return in.text(std::string(s), self.markup());
}

Result<Value> remove_suffix(Interpreter& in, const Value& self, const Args& args) {
  if (!args.at(0).is(Kind::kString)) return wrong("removesuffix() argument must be str");
  std::string_view s = self.as_string();
  if (s.ends_with(args.at(0).as_string())) s.remove_suffix(args.at(0).as_string().size());
  return in.text(std::string(s), self.markup());
}

// True if there are characters and all of them pass.
template <bool (*passes)(char32_t)>
Result<Value> all(Interpreter&, const Value& self, const Args&) {
  const std::u32string points = to_code_points(self.as_string());
  return Value::boolean(!points.empty() && std::all_of(points.begin(), points.end(), passes));
}

bool is_alphanumeric(char32_t c) { return is_word(c) && c != '_'; }

template <bool want_upper>
Result<Value> all_cased(Interpreter& in, const Value& self, const Args&) {
  HB_ASSIGN(const bool holds, in.test(want_upper ? "upper" : "lower", self, {}));
  return Value::boolean(holds);
}

Result<Value> is_ascii_method(Interpreter&, const Value& self, const Args&) {
  return Value::boolean(is_ascii(self.as_string()));
}

constexpr Builtin kMethods[] = {
    {"upper", "", 0, mapped<to_upper>},
    {"lower", "", 0, mapped<to_lower>},
    {"title", "", 0, mapped<to_title>},
    {"capitalize", "", 0, mapped<to_capitalized>},
    {"swapcase", "", 0, mapped<swap_case>},
    {"strip", "/chars", 0, stripped<true, true>},
    {"lstrip", "/chars", 0, stripped<true, false>},
    {"rstrip", "/chars", 0, stripped<false, true>},
    {"replace", "/old,/new,/count", 2, replaced},
    {"join", "/iterable", 1, join},
    {"format", "*", 0, brace_format},
    {"ljust", "/width,/fill", 1, padded<Align::kLeft>},
    {"rjust", "/width,/fill", 1, padded<Align::kRight>},
    {"center", "/width,/fill", 1, padded<Align::kCenter>},
    {"zfill", "/width", 1, zfill},
    {"removeprefix", "/prefix", 1, remove_prefix},
    {"removesuffix", "/suffix", 1, remove_suffix},
    {"isspace", "", 0, all<is_space>},
    {"isalpha", "", 0, all<is_alpha>},
    {"isdigit", "", 0, all<is_digit>},
    {"isdecimal", "", 0, all<is_digit>},
    {"isalnum", "", 0, all<is_alphanumeric>},
    {"isupper", "", 0, all_cased<true>},
    {"islower", "", 0, all_cased<false>},
    {"isascii", "", 0, is_ascii_method},
};

}  // namespace

std::span<const Builtin> string_shape_methods() { return kMethods; }

}  // namespace hb::jinja
