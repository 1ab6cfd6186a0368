// The functions that a template can use by name: one table each for filters, tests, globals and methods.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  // After bind(): the argument of the i-th parameter, or kMissing.
  const Value& at(size_t i) const { return positional[i]; }
  // The deepest of them, for values that keep them.
  uint32_t depth() const;
  Value value_or(size_t i, const Value& fallback) const { return at(i).missing() ? fallback : at(i); }
};

// `self` is the filtered or tested value, the object of a method, or kMissing for a global.
using BuiltinFunction = Result<Value> (*)(Interpreter&, const Value& self, const Args& args);

struct Builtin {
  std::string_view name;
  std::string_view
      params;  // "a,b": bound by position or name; "/" in front of a name: only by position; "*": raw
  uint8_t required = 0;  // so many parameters have no default
  BuiltinFunction function = nullptr;
};

// Calls `builtin` after binding `args` to its parameters.
// ERRORS: kInvalidArgument for too many, too few or unknown arguments, and what the function answers.
Result<Value> call_builtin(Interpreter& interpreter, const Builtin& builtin, const Value& self,
                           const Args& args);

// Null if there is none of that name.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);
const Builtin* find_global(std::string_view name);
const Builtin* find_method(const Value& self, std::string_view name);

// The parts of those tables.
std::span<const Builtin> sequence_filters();
std::span<const Builtin> selection_filters();
std::span<const Builtin> text_filters();
std::span<const Builtin> value_filters();
std::span<const Builtin> string_search_methods();
std::span<const Builtin> string_shape_methods();

}  // namespace hb::jinja
