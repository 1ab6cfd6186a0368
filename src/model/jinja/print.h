// Values as text: str(), repr() and JSON.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

Result<std::string> to_str(Interpreter& in, const Value& value);
Result<std::string> to_repr(Interpreter& in, const Value& value);

struct JsonStyle {
  bool ascii = false;                 // escape everything else
  std::optional<std::string> indent;  // of one level; nothing: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};
// As Python's json.dumps().
Result<std::string> to_json(Interpreter& in, const Value& value, const JsonStyle& style);

std::string escape_html(std::string_view text);

}  // namespace hb::jinja
