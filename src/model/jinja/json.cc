// to_json(): what json.dumps() of Python writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/jinja/interpreter.h"
#include "model/jinja/numbers.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Interpreter& in, const JsonStyle& style) : in_(in), style_(style) {}

  Result<std::string> run(const Value& value) {
    HB_TRY(write(value, 0));
    return std::move(out_);
  }

 private:
  Status write(const Value& value, size_t level) {
    HB_TRY(in_.budget().step());
    HB_TRY(in_.budget().output(out_.size()));
    switch (value.kind()) {
      case Kind::kString:
        string(value.as_string());
        return {};
      case Kind::kList:
      case Kind::kTuple:
        return list(value.items(), level);
      case Kind::kDict:
        return dict(value.dict(), level);
      default:
        break;
    }
    HB_ASSIGN(const std::string text, scalar(value));
    out_ += text;
    return {};
  }

  Result<std::string> scalar(const Value& value) const {
    switch (value.kind()) {
      case Kind::kNone:
        return "null";
      case Kind::kBool:
        return value.as_bool() ? "true" : "false";
      case Kind::kInt:
        return std::to_string(value.as_int());
      case Kind::kFloat:
        return number(value.as_double());
      default:
        return wrong(fmt::format("Object of type {} is not JSON serializable", type_name(value)));
    }
  }

  static std::string number(double d) {
    if (std::isnan(d)) return "NaN";
    if (std::isinf(d)) return d < 0 ? "-Infinity" : "Infinity";
    return float_repr(d);
  }

  void unit(char32_t utf16) { out_ += fmt::format("\\u{:04x}", static_cast<uint32_t>(utf16)); }

  void character(char32_t c) {
    switch (c) {
      case '"':
        out_ += "\\\"";
        return;
      case '\\':
        out_ += "\\\\";
        return;
      case '\n':
        out_ += "\\n";
        return;
      case '\r':
        out_ += "\\r";
        return;
      case '\t':
        out_ += "\\t";
        return;
      case '\b':
        out_ += "\\b";
        return;
      case '\f':
        out_ += "\\f";
        return;
      default:
        break;
    }
    if (c < 0x20 || (style_.ascii && c >= 0x7F && c < 0x10000)) {
      unit(c);
    } else if (style_.ascii && c >= 0x10000) {
      unit(0xD800 + ((c - 0x10000) >> 10));
      unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
      append_utf8(out_, c);
    }
  }

  void string(std::string_view s) {
    out_ += '"';
    for (size_t at = 0; at < s.size();) {
      char32_t c = 0;
      at += decode_one(s, at, c);
      character(c);
    }
    out_ += '"';
  }

  void line(size_t level) {
    if (!style_.indent) return;
    out_ += '\n';
    for (size_t i = 0; i < level; ++i) out_ += *style_.indent;
  }

  Status list(const std::vector<Value>& items, size_t level) {
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0) out_ += style_.item_separator;
      line(level + 1);
      HB_TRY(write(items[i], level + 1));
    }
    if (!items.empty()) line(level);
    out_ += ']';
    return {};
  }

  Result<std::string> key_text(const Value& key) const {
    if (key.is(Kind::kString)) return key.as_string();
    if (key.is(Kind::kNone) || key.number()) return scalar(key);
    return wrong(fmt::format("keys must be str, int, float, bool or None, not {}", type_name(key)));
  }

  Result<std::vector<std::pair<Value, Value>>> sorted(const DictObject& dict) const {
    auto entries = dict.entries;
    if (!style_.sort_keys) return entries;
    std::optional<Error> problem;
    std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
      const auto is_less = less(a.first, b.first);
      if (!is_less) problem = is_less.error();
      return is_less.value_or(false);
    });
    if (problem) return std::unexpected(*problem);
    return entries;
  }

  Status dict(const DictObject& dict, size_t level) {
    HB_ASSIGN(const auto entries, sorted(dict));
    out_ += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i != 0) out_ += style_.item_separator;
      line(level + 1);
      HB_ASSIGN(const std::string key, key_text(entries[i].first));
      string(key);
      out_ += style_.key_separator;
      HB_TRY(write(entries[i].second, level + 1));
    }
    if (!entries.empty()) line(level);
    out_ += '}';
    return {};
  }

  Interpreter& in_;
  const JsonStyle& style_;
  std::string out_;
};

}  // namespace

Result<std::string> to_json(Interpreter& in, const Value& value, const JsonStyle& style) {
  return JsonWriter(in, style).run(value);
}

}  // namespace hb::jinja
