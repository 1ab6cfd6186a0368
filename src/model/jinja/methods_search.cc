// Methods of strings that search, test and split.
#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

// [start, end) of a search in code points, from Python's optional indices.
struct Window {
  size_t start = 0;
  size_t end = 0;
  bool empty = false;  // start lies behind the end: not even an empty string is found
};

Result<Window> window(const Args& args, size_t size) {
  Window out{0, size, false};
  const auto index = [&](size_t i, size_t fallback) -> Result<int64_t> {
    const Value value = args.value_or(i, Value::none());
    if (value.is(Kind::kNone)) return static_cast<int64_t>(fallback);
    if (!value.integral()) return wrong("slice indices must be integers or None");
    const int64_t given = value.as_int();
    return given < 0 ? std::max<int64_t>(given + static_cast<int64_t>(size), 0) : given;
  };
  HB_ASSIGN(const int64_t start, index(1, 0));
  HB_ASSIGN(const int64_t end, index(2, size));
  out.end = std::min(static_cast<size_t>(end), size);
  out.empty = static_cast<size_t>(start) > out.end;
  out.start = std::min(static_cast<size_t>(start), out.end);
  return out;
}

Result<std::u32string> needle_of(const Value& value) {
  if (!value.is(Kind::kString)) return wrong(fmt::format("must be str, not {}", type_name(value)));
  return to_code_points(value.as_string());
}

// The index of the first or last occurrence, or -1.
Result<int64_t> position(const Value& self, const Args& args, bool from_right) {
  const std::u32string points = to_code_points(self.as_string());
  HB_ASSIGN(const std::u32string needle, needle_of(args.at(0)));
  HB_ASSIGN(const Window range, window(args, points.size()));
  if (range.empty) return -1;
  const auto text = std::u32string_view(points).substr(range.start, range.end - range.start);
  const size_t found = from_right ? text.rfind(needle) : text.find(needle);
  return found == std::u32string_view::npos ? -1 : static_cast<int64_t>(found + range.start);
}

template <bool from_right>
Result<Value> find(Interpreter&, const Value& self, const Args& args) {
  HB_ASSIGN(const int64_t at, position(self, args, from_right));
  return Value::integer(at);
}

template <bool from_right>
Result<Value> index(Interpreter&, const Value& self, const Args& args) {
  HB_ASSIGN(const int64_t at, position(self, args, from_right));
  if (at < 0) return wrong("substring not found");
  return Value::integer(at);
}

Result<Value> count(Interpreter&, const Value& self, const Args& args) {
  const std::u32string points = to_code_points(self.as_string());
  HB_ASSIGN(const std::u32string needle, needle_of(args.at(0)));
  HB_ASSIGN(const Window range, window(args, points.size()));
  if (range.empty) return Value::integer(0);
  const auto text = std::u32string_view(points).substr(range.start, range.end - range.start);
  if (needle.empty()) return Value::integer(static_cast<int64_t>(text.size()) + 1);
  int64_t found = 0;
  for (size_t at = text.find(needle); at != std::u32string_view::npos;
       at = text.find(needle, at + needle.size()))
    ++found;
  return Value::integer(found);
}

template <bool at_end>
Result<Value> begins_or_ends(Interpreter&, const Value& self, const Args& args) {
  const std::u32string points = to_code_points(self.as_string());
  HB_ASSIGN(const Window range, window(args, points.size()));
  const auto text = std::u32string_view(points).substr(range.start, range.end - range.start);
  std::vector<Value> candidates = {args.at(0)};
  if (args.at(0).is(Kind::kTuple)) candidates = args.at(0).items();
  for (const Value& candidate : candidates) {
    HB_ASSIGN(const std::u32string needle, needle_of(candidate));
    if (range.empty) continue;
    if (at_end ? text.ends_with(needle) : text.starts_with(needle)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Result<int64_t> split_limit(const Args& args) {
  const Value limit = args.value_or(1, Value::integer(-1));
  if (!limit.integral())
    return wrong(fmt::format("'{}' object cannot be interpreted as an integer", type_name(limit)));
  return limit.as_int();
}

std::vector<std::string> split_spaces(std::string_view s, int64_t limit) {
  std::vector<std::string> parts;
  for (s = strip_left(s); !s.empty(); s = strip_left(s)) {
    if (limit-- == 0) {
      parts.emplace_back(strip_right(s));
      break;
    }
    size_t end = 0;
    while (end < s.size()) {
      char32_t c = 0;
      const size_t size = decode_one(s, end, c);
      if (is_space(c)) break;
      end += size;
    }
    parts.emplace_back(s.substr(0, end));
    s.remove_prefix(end);
  }
  return parts;
}

// From the right, the parts in order. Works on reversed code points, where it is a split from the left.
std::vector<std::string> rsplit_spaces(std::string_view s, int64_t limit) {
  const auto reversed = [](std::string_view text) {
    std::u32string points = to_code_points(text);
    std::reverse(points.begin(), points.end());
    return to_utf8(points);
  };
  std::vector<std::string> parts = split_spaces(reversed(s), limit);
  for (std::string& part : parts) part = reversed(part);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_by(std::string_view s, std::string_view separator, int64_t limit) {
  std::vector<std::string> parts;
  for (size_t found = s.find(separator); limit-- != 0 && found != std::string_view::npos;
       found = s.find(separator)) {
    parts.emplace_back(s.substr(0, found));
    s.remove_prefix(found + separator.size());
  }
  parts.emplace_back(s);
  return parts;
}

std::vector<std::string> rsplit_by(std::string_view s, std::string_view separator, int64_t limit) {
  std::vector<std::string> parts;
  for (size_t found = s.rfind(separator); limit-- != 0 && found != std::string_view::npos;
       found = s.rfind(separator)) {
    parts.emplace_back(s.substr(found + separator.size()));
    s = s.substr(0, found);
  }
  parts.emplace_back(s);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Result<Value> list_of(Interpreter& in, std::vector<std::string> parts, bool markup, Kind kind = Kind::kList) {
  std::vector<Value> values;
  for (std::string& part : parts) {
    HB_ASSIGN(Value value, in.text(std::move(part), markup));
    values.push_back(std::move(value));
  }
  return in.list(std::move(values), kind);
}

template <bool from_right>
Result<Value> split(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(const int64_t limit, split_limit(args));
  const Value separator = args.value_or(0, Value::none());
  const std::string& s = self.as_string();
  if (separator.is(Kind::kNone)) {
    return list_of(in, from_right ? rsplit_spaces(s, limit) : split_spaces(s, limit), self.markup());
  }
  if (!separator.is(Kind::kString))
    return wrong(fmt::format("must be str or None, not {}", type_name(separator)));
  if (separator.as_string().empty()) return wrong("empty separator");
  const std::string& by = separator.as_string();
  return list_of(in, from_right ? rsplit_by(s, by, limit) : split_by(s, by, limit), self.markup());
}

Result<Value> splitlines(Interpreter& in, const Value& self, const Args& args) {
  return list_of(in, split_lines(self.as_string(), truthy(args.at(0))), self.markup());
}

template <bool from_right>
Result<Value> partition(Interpreter& in, const Value& self, const Args& args) {
  if (!args.at(0).is(Kind::kString)) return wrong("must be str");
  const std::string& s = self.as_string();
  const std::string& separator = args.at(0).as_string();
  if (separator.empty()) return wrong("empty separator");
  const size_t found = from_right ? s.rfind(separator) : s.find(separator);
  std::vector<std::string> parts = {s, "", ""};
  if (found != std::string::npos) {
    parts = {s.substr(0, found), separator, s.substr(found + separator.size())};
  } else if (from_right) {
    std::swap(parts[0], parts[2]);
  }
  return list_of(in, std::move(parts), self.markup(), Kind::kTuple);
}

constexpr Builtin kMethods[] = {
    {"find", "/sub,/start,/end", 1, find<false>},
    {"rfind", "/sub,/start,/end", 1, find<true>},
    {"index", "/sub,/start,/end", 1, index<false>},
    {"rindex", "/sub,/start,/end", 1, index<true>},
    {"count", "/sub,/start,/end", 1, count},
    {"startswith", "/prefix,/start,/end", 1, begins_or_ends<false>},
    {"endswith", "/suffix,/start,/end", 1, begins_or_ends<true>},
    {"split", "sep,maxsplit", 0, split<false>},
    {"rsplit", "sep,maxsplit", 0, split<true>},
    {"splitlines", "keepends", 0, splitlines},
    {"partition", "/sep", 1, partition<false>},
    {"rpartition", "/sep", 1, partition<true>},
};

}  // namespace

std::span<const Builtin> string_search_methods() { return kMethods; }

}  // namespace hb::jinja
