#include "model/jinja/brace_format.h"

#include <fmt/format.h>

#include "model/jinja/interpreter.h"
#include "model/jinja/numbers.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"

namespace hb::jinja {
namespace {

class Formatter {
 public:
  Formatter(Interpreter& in, std::string_view format, const Args& args)
      : in_(in), rest_(format), args_(args) {}

  Result<std::string> run() {
    while (!rest_.empty()) {
      const size_t brace = std::min(rest_.find_first_of("{}"), rest_.size());
      out_ += rest_.substr(0, brace);
      rest_.remove_prefix(brace);
      if (rest_.empty()) break;
      HB_TRY(at_brace());
      HB_TRY(in_.budget().output(out_.size()));
    }
    return std::move(out_);
  }

 private:
  Status at_brace() {
    if (rest_.starts_with("{{") || rest_.starts_with("}}")) {
      out_ += rest_[0];
      rest_.remove_prefix(2);
      return {};
    }
    if (rest_[0] == '}') return wrong("Single '}' encountered in format string");
    const size_t end = rest_.find('}');
    if (end == std::string_view::npos) return wrong("expected '}' before end of string");
    const std::string_view field = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return replace_field(field);
  }

  Status replace_field(std::string_view field) {
    if (field.find_first_of("{:") != std::string_view::npos) {
      return fail(ErrorCode::kUnsupported, "format specifications are not supported in str.format()");
    }
    const size_t bang = field.find('!');
    const std::string_view conversion = bang == std::string_view::npos ? "" : field.substr(bang);
    if (!conversion.empty() && conversion != "!r" && conversion != "!s")
      return wrong("unknown conversion in a format");
    HB_ASSIGN(const Value value, field_value(field.substr(0, bang)));
    HB_ASSIGN(const std::string text, conversion == "!r" ? to_repr(in_, value) : to_str(in_, value));
    out_ += text;
    return {};
  }

  Result<Value> field_value(std::string_view field) {
    const size_t name_end = std::min(field.find_first_of(".["), field.size());
    HB_ASSIGN(Value value, argument(field.substr(0, name_end)));
    for (field.remove_prefix(name_end); !field.empty();) {
      const bool bracket = field[0] == '[';
      const size_t end = bracket ? field.find(']') : std::min(field.find_first_of(".[", 1), field.size());
      if (end == std::string_view::npos) return wrong("Missing ']' in format string");
      const std::string key(field.substr(1, end - 1));
      const auto number = bracket ? parse_integer(key, 10) : std::nullopt;
      HB_ASSIGN(value, bracket ? in_.item(value, number ? Value::integer(*number) : Value::string(key))
                               : in_.attribute(value, key));
      if (value.is(Kind::kUndefined)) return undefined_error(value);
      field.remove_prefix(end + (bracket ? 1 : 0));
    }
    return value;
  }

  Result<Value> argument(std::string_view name) {
    const auto number = name.empty() ? std::optional(automatic_++) : parse_integer(name, 10);
    if (number) {
      if (*number < 0 || static_cast<size_t>(*number) >= args_.positional.size()) {
        return wrong("Replacement index out of range for positional args tuple");
      }
      return args_.positional[static_cast<size_t>(*number)];
    }
    for (const auto& [key, value] : args_.named) {
      if (key == name) return value;
    }
    return wrong(fmt::format("the format names '{}', which is missing", name));
  }

  Interpreter& in_;
  std::string_view rest_;
  const Args& args_;
  std::string out_;
  int64_t automatic_ = 0;
};

}  // namespace

Result<Value> brace_format(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(std::string text, Formatter(in, self.as_string(), args).run());
  return in.text(std::move(text), self.markup());
}

}  // namespace hb::jinja
