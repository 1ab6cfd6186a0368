#include "model/jinja/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/interpreter.h"
#include "model/jinja/loop.h"
#include "model/jinja/numbers.h"
#include "model/jinja/operations.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

// Python prefers single quotes, and takes double ones to avoid a backslash.
std::string quoted(std::string_view s) {
  const bool has_single = s.find('\'') != std::string_view::npos;
  const char quote = has_single && s.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (size_t at = 0; at < s.size();) {
    char32_t c = 0;
    at += decode_one(s, at, c);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (is_printable(c)) {
      append_utf8(out, c);
    } else {
      out += c < 0x100     ? fmt::format("\\x{:02x}", static_cast<uint32_t>(c))
             : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<uint32_t>(c))
                           : fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
    }
  }
  return out + quote;
}

// repr() into one growing string, so that its size can be bounded while it grows.
class ReprWriter {
 public:
  explicit ReprWriter(Interpreter& in) : in_(in) {}

  Result<std::string> run(const Value& value) {
    HB_TRY(write(value));
    return std::move(out_);
  }

 private:
  Status write(const Value& value) {
    HB_TRY(in_.budget().step());
    HB_TRY(in_.budget().output(out_.size()));
    switch (value.kind()) {
      case Kind::kMissing:
      case Kind::kUndefined:
        out_ += "Undefined";
        break;
      case Kind::kNone:
        out_ += "None";
        break;
      case Kind::kBool:
        out_ += value.as_bool() ? "True" : "False";
        break;
      case Kind::kInt:
        out_ += std::to_string(value.as_int());
        break;
      case Kind::kFloat:
        out_ += float_repr(value.as_double());
        break;
      case Kind::kString:
        out_ +=
            value.markup() ? fmt::format("Markup({})", quoted(value.as_string())) : quoted(value.as_string());
        break;
      case Kind::kList:
        return items(value.items(), "[", "]");
      case Kind::kTuple:
        return items(value.items(), "(", value.items().size() == 1 ? ",)" : ")");
      case Kind::kDict:
        return entries(value.dict());
      case Kind::kView:
        return view(value.view());
      case Kind::kRange:
        range(value.range());
        break;
      case Kind::kLoop:
        return loop(value.raw<LoopState>());
      case Kind::kNamespace:
        return name_space(value.raw<Namespace>());
      case Kind::kMacro:
        macro(value.raw<Macro>());
        break;
      case Kind::kFunction:
        out_ += fmt::format("<function {}>", value.function().builtin->name);
        break;
      default:
        out_ += fmt::format("<{}>", type_name(value));
        break;
    }
    return {};
  }

  // False, and an ellipsis, for a container that is being written further out.
  bool open(const void* container, const char* ellipsis) {
    if (std::find(open_.begin(), open_.end(), container) != open_.end()) {
      out_ += ellipsis;
      return false;
    }
    open_.push_back(container);
    return true;
  }

  Status items(const std::vector<Value>& values, const char* begin, const char* end) {
    if (!open(&values, *begin == '[' ? "[...]" : "(...)")) return {};
    out_ += begin;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_ += ", ";
      HB_TRY(write(values[i]));
    }
    out_ += end;
    open_.pop_back();
    return {};
  }

  Status entries(const DictObject& dict) {
    if (!open(&dict, "{...}")) return {};
    out_ += "{";
    for (size_t i = 0; i < dict.entries.size(); ++i) {
      if (i != 0) out_ += ", ";
      HB_TRY(write(dict.entries[i].first));
      out_ += ": ";
      HB_TRY(write(dict.entries[i].second));
    }
    out_ += "}";
    open_.pop_back();
    return {};
  }

  Status view(const ViewObject& view) {
    const char* begin = view.part == ViewObject::Part::kKeys     ? "dict_keys("
                        : view.part == ViewObject::Part::kValues ? "dict_values("
                                                                 : "dict_items(";
    out_ += begin;
    HB_ASSIGN(const auto values, collect(in_, Value::of(Kind::kView, std::make_shared<ViewObject>(view))));
    HB_TRY(items(values, "[", "]"));
    out_ += ")";
    return {};
  }

  void range(const RangeObject& range) {
    out_ += fmt::format("range({}, {}", range.start, range.stop);
    out_ += range.step == 1 ? ")" : fmt::format(", {})", range.step);
  }

  void macro(const Macro& macro) {
    out_ += macro.name.empty() ? "<Macro anonymous>" : fmt::format("<Macro {}>", quoted(macro.name));
  }

  Status loop(LoopState& loop) {
    HB_ASSIGN(const int64_t length, loop.length());
    out_ += fmt::format("<LoopContext {}/{}>", loop.index0 + 1, length);
    return {};
  }

  Status name_space(const Namespace& space) {
    HB_TRY(in_.budget().enter());
    out_ += "<Namespace ";
    HB_TRY(entries(space.attributes));
    out_ += ">";
    in_.budget().leave();
    return {};
  }

  Interpreter& in_;
  std::string out_;
  std::vector<const void*>
      open_;  // containers being written: through a namespace they may contain themselves
};

}  // namespace

Result<std::string> to_repr(Interpreter& in, const Value& value) { return ReprWriter(in).run(value); }

Result<std::string> to_str(Interpreter& in, const Value& value) {
  if (value.is(Kind::kString)) return value.as_string();
  if (value.is(Kind::kUndefined) || value.missing()) return std::string();
  return to_repr(in, value);
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace hb::jinja
