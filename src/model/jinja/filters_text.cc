// Filters that answer text.
#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/percent_format.h"
#include "model/jinja/print.h"
#include "model/jinja/string_tools.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

using MapPoints = std::u32string (*)(std::u32string_view);

Result<Value> mapped(Interpreter& in, const Value& value, MapPoints map) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  return in.text(to_utf8(map(to_code_points(s))), value.markup());
}

Result<Value> upper(Interpreter& in, const Value& value, const Args&) { return mapped(in, value, to_upper); }
Result<Value> lower(Interpreter& in, const Value& value, const Args&) { return mapped(in, value, to_lower); }
Result<Value> capitalize(Interpreter& in, const Value& value, const Args&) {
  return mapped(in, value, to_capitalized);
}

// Words begin behind white space and a few brackets; other punctuation does not end them, unlike str.title().
Result<Value> title(Interpreter& in, const Value& value, const Args&) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  const std::u32string points = to_code_points(s);
  const auto separates = [](char32_t c) {
    return is_space(c) || std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos;
  };
  std::u32string out;
  for (size_t begin = 0; begin < points.size();) {
    const bool separator = separates(points[begin]);
    size_t end = begin + 1;
    while (end < points.size() && separates(points[end]) == separator) ++end;
    out += to_upper(points.substr(begin, 1)) + to_lower(points.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return in.text(to_utf8(out));
}

Result<Value> trim(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  HB_ASSIGN(std::string stripped, strip(s, args.at(0), true, true));
  return in.text(std::move(stripped), value.markup());
}

Result<Value> replace_filter(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  HB_ASSIGN(const std::string from, to_str(in, args.at(0)));
  HB_ASSIGN(const std::string to, to_str(in, args.at(1)));
  int64_t count = -1;
  if (!args.at(2).missing() && !args.at(2).is(Kind::kNone)) {
    if (!args.at(2).integral()) return wrong("replace needs an integer count");
    count = args.at(2).as_int();
  }
  HB_ASSIGN(std::string replaced, replace(in, s, from, to, count));
  return in.text(std::move(replaced));
}

Result<Value> string_filter(Interpreter& in, const Value& value, const Args&) {
  if (value.is(Kind::kString)) return value;
  HB_ASSIGN(std::string s, to_str(in, value));
  return in.text(std::move(s));
}

Result<Value> escape(Interpreter& in, const Value& value, const Args&) {
  if (value.markup()) return value;
  HB_ASSIGN(const std::string s, to_str(in, value));
  HB_TRY(in.budget().allocate(s.size()));
  return in.text(escape_html(s), true);
}

Result<Value> safe(Interpreter& in, const Value& value, const Args&) {
  HB_ASSIGN(std::string s, to_str(in, value));
  return in.text(std::move(s), true);
}

Result<std::string> indentation(const Value& width) {
  if (width.is(Kind::kString)) return width.as_string();
  if (!width.integral()) return wrong("indent needs a width or a string");
  if (width.as_int() > 10'000)
    return fail(ErrorCode::kUnsupported, "indent is wider than the limit of 10000");
  return std::string(static_cast<size_t>(std::max<int64_t>(width.as_int(), 0)), ' ');
}

Result<Value> indent(Interpreter& in, const Value& value, const Args& args) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (!value.is(Kind::kString))
    return wrong(fmt::format("indent needs a string, not '{}'", type_name(value)));
  HB_ASSIGN(const std::string prefix, indentation(args.value_or(0, Value::integer(4))));
  const bool blank_too = truthy(args.at(2));
  const auto lines = split_lines(value.as_string() + "\n", false);
  std::string out = truthy(args.at(1)) ? prefix : "";
  for (size_t i = 0; i < lines.size(); ++i) {
    HB_TRY(in.budget().output(out.size() + prefix.size() + lines[i].size()));
    if (i != 0) out += "\n";
    if (i != 0 && (blank_too || !lines[i].empty())) out += prefix;
    out += lines[i];
  }
  return in.text(std::move(out), value.markup());
}

Result<Value> center(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  HB_ASSIGN(std::string padded,
            pad(in, s, args.value_or(0, Value::integer(80)), Value::string(" "), Align::kCenter));
  return in.text(std::move(padded), value.markup());
}

Result<Value> wordcount(Interpreter& in, const Value& value, const Args&) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  int64_t words = 0;
  bool inside = false;
  for (const char32_t c : to_code_points(s)) {
    if (is_word(c) && !inside) ++words;
    inside = is_word(c);
  }
  return Value::integer(words);
}

Result<Value> format_filter(Interpreter& in, const Value& value, const Args& args) {
  if (!args.positional.empty() && !args.named.empty()) {
    return wrong("can't handle positional and keyword arguments at the same time");
  }
  HB_ASSIGN(Value format, string_filter(in, value, args));
  if (args.named.empty()) {
    HB_ASSIGN(const Value tuple, in.list(args.positional, Kind::kTuple));
    return percent_format(in, format, tuple);
  }
  DictObject named;
  for (const auto& [name, entry] : args.named) named.set(Value::string(name), entry);
  HB_ASSIGN(const Value mapping, in.dict(std::move(named)));
  return percent_format(in, format, mapping);
}

Result<JsonStyle> json_style(Interpreter& in, const Args& args) {
  JsonStyle style;
  style.ascii = truthy(args.at(0));
  style.sort_keys = truthy(args.at(3));
  const Value indent = args.value_or(1, Value::none());
  if (!indent.is(Kind::kNone)) {
    HB_ASSIGN(style.indent, indentation(indent));
    style.item_separator = ",";
  }
  const Value separators = args.value_or(2, Value::none());
  if (separators.is(Kind::kNone)) return style;
  HB_ASSIGN(const auto parts, collect(in, separators));
  if (parts.size() != 2 || !parts[0].is(Kind::kString) || !parts[1].is(Kind::kString)) {
    return wrong("tojson needs two strings as separators");
  }
  style.item_separator = parts[0].as_string();
  style.key_separator = parts[1].as_string();
  return style;
}

Result<Value> tojson(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const JsonStyle style, json_style(in, args));
  HB_ASSIGN(std::string json, to_json(in, value, style));
  return in.text(std::move(json));
}

constexpr Builtin kFilters[] = {
    {"upper", "", 0, upper},
    {"lower", "", 0, lower},
    {"capitalize", "", 0, capitalize},
    {"title", "", 0, title},
    {"trim", "chars", 0, trim},
    {"replace", "old,new,count", 2, replace_filter},
    {"string", "", 0, string_filter},
    {"escape", "", 0, escape},
    {"e", "", 0, escape},
    {"safe", "", 0, safe},
    {"indent", "width,first,blank", 0, indent},
    {"center", "width", 0, center},
    {"wordcount", "", 0, wordcount},
    {"format", "*", 0, format_filter},
    {"tojson", "ensure_ascii,indent,separators,sort_keys", 0, tojson},
};

}  // namespace

std::span<const Builtin> text_filters() { return kFilters; }

}  // namespace hb::jinja
