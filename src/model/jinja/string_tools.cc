#include "model/jinja/string_tools.h"

#include <fmt/format.h>

#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/text.h"

namespace hb::jinja {

Result<std::string> strip(std::string_view s, const Value& chars, bool left, bool right) {
  if (chars.missing() || chars.is(Kind::kNone)) {
    if (right) s = strip_right(s);
    if (left) s = strip_left(s);
    return std::string(s);
  }
  if (!chars.is(Kind::kString)) return wrong("strip arg must be None or str");
  const std::u32string set = to_code_points(chars.as_string());
  const std::u32string points = to_code_points(s);
  const auto inside = [&](char32_t c) { return set.find(c) != std::u32string::npos; };
  size_t begin = 0;
  size_t end = points.size();
  while (left && begin < end && inside(points[begin])) ++begin;
  while (right && end > begin && inside(points[end - 1])) --end;
  return to_utf8(std::u32string_view(points).substr(begin, end - begin));
}

namespace {

// An empty `from` matches before each character and at the end.
Result<std::string> interleave(Interpreter& in, std::string_view s, std::string_view to, int64_t count) {
  std::string out;
  size_t at = 0;
  for (; count != 0; --count) {
    HB_TRY(in.budget().output(out.size() + to.size()));
    out += to;
    if (at == s.size()) return out;
    char32_t c = 0;
    const size_t size = decode_one(s, at, c);
    out += s.substr(at, size);
    at += size;
  }
  return out.append(s.substr(at));
}

}  // namespace

Result<std::string> replace(Interpreter& in, std::string_view s, std::string_view from, std::string_view to,
                            int64_t count) {
  if (from.empty()) return interleave(in, s, to, count);
  std::string out;
  size_t at = 0;
  for (; count != 0; --count) {
    const size_t found = s.find(from, at);
    if (found == std::string_view::npos) break;
    HB_TRY(in.budget().output(out.size() + (found - at) + to.size()));
    out += s.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  return out.append(s.substr(at));
}

Result<std::string> pad(Interpreter& in, const std::string& s, const Value& width, const Value& fill,
                        Align align) {
  if (!width.integral())
    return wrong(fmt::format("'{}' object cannot be interpreted as an integer", type_name(width)));
  if (!fill.is(Kind::kString) || count_code_points(fill.as_string()) != 1) {
    return wrong("The fill character must be exactly one character long");
  }
  const auto size = static_cast<int64_t>(count_code_points(s));
  if (width.as_int() <= size) return s;
  const auto missing = static_cast<size_t>(width.as_int() - size);
  HB_TRY(in.budget().allocate(missing * 4));
  // Python puts the odd character of a centred text to the left if the width is odd.
  const size_t half = missing / 2 + (missing & static_cast<size_t>(width.as_int()) & 1);
  const size_t left = align == Align::kLeft ? 0 : align == Align::kRight ? missing : half;
  std::string out;
  for (size_t i = 0; i < left; ++i) out += fill.as_string();
  out += s;
  for (size_t i = left; i < missing; ++i) out += fill.as_string();
  return out;
}

}  // namespace hb::jinja
