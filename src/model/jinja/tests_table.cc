// The tests: x is defined, x is divisibleby 3 and so on.
#include <fmt/format.h>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

template <auto holds>
Result<Value> when(Interpreter&, const Value& value, const Args&) {
  return Value::boolean(holds(value));
}

template <Op op>
Result<Value> compares(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const bool holds, compare(in, op, value, args.at(0)));
  return Value::boolean(holds);
}

// value % divisor == remainder, with Python's rules for what can be divided.
Result<Value> divides(Interpreter& in, const Value& value, const Value& divisor, int64_t remainder) {
  HB_ASSIGN(const Value rest, arithmetic(in, Op::kMod, value, divisor));
  return Value::boolean(equals(rest, Value::integer(remainder)));
}

Result<Value> is_even(Interpreter& in, const Value& v, const Args&) {
  return divides(in, v, Value::integer(2), 0);
}
Result<Value> is_odd(Interpreter& in, const Value& v, const Args&) {
  return divides(in, v, Value::integer(2), 1);
}
Result<Value> is_divisible(Interpreter& in, const Value& v, const Args& args) {
  return divides(in, v, args.at(0), 0);
}

bool is_sequence(const Value& v) {
  return v.sequence() || v.is(Kind::kString) || v.is(Kind::kDict) || v.is(Kind::kRange) ||
         v.is(Kind::kUndefined);
}

bool is_iterable(const Value& v) {
  return is_sequence(v) || v.is(Kind::kView) || v.is(Kind::kIterator) || v.is(Kind::kLoop);
}

bool is_callable(const Value& v) {
  return v.is(Kind::kFunction) || v.is(Kind::kMacro) || v.is(Kind::kJoiner) || v.is(Kind::kLoop) ||
         v.is(Kind::kUndefined);
}

// str.islower() or isupper(): some cased letter, and all of them of the wanted case.
Result<Value> all_cased(Interpreter& in, const Value& value, bool want_upper) {
  HB_ASSIGN(const std::string s, to_str(in, value));
  bool found = false;
  for (const char32_t c : to_code_points(s)) {
    if (is_title(c) || (want_upper ? is_lower(c) : is_upper(c))) return Value::boolean(false);
    found = found || (want_upper ? is_upper(c) : is_lower(c));
  }
  return Value::boolean(found);
}

Result<Value> same_as(Interpreter&, const Value& value, const Args& args) {
  const Value& other = args.at(0);
  if (value.kind() != other.kind()) return Value::boolean(false);
  const bool by_value = value.number() || value.is(Kind::kNone) || value.is(Kind::kString);
  return Value::boolean(by_value ? equals(value, other) : value.address() == other.address());
}

Result<Value> is_known(const Value& name, const Builtin* (*find)(std::string_view)) {
  if (!hashable(name)) return wrong(fmt::format("unhashable type: '{}'", type_name(name)));
  return Value::boolean(name.is(Kind::kString) && find(name.as_string()) != nullptr);
}

constexpr Builtin kTests[] = {
    {"defined", "", 0, when<[](const Value& v) { return !v.is(Kind::kUndefined); }>},
    {"undefined", "", 0, when<[](const Value& v) { return v.is(Kind::kUndefined); }>},
    {"none", "", 0, when<[](const Value& v) { return v.is(Kind::kNone); }>},
    {"boolean", "", 0, when<[](const Value& v) { return v.is(Kind::kBool); }>},
    {"true", "", 0, when<[](const Value& v) { return v.is(Kind::kBool) && v.as_bool(); }>},
    {"false", "", 0, when<[](const Value& v) { return v.is(Kind::kBool) && !v.as_bool(); }>},
    {"integer", "", 0, when<[](const Value& v) { return v.is(Kind::kInt); }>},
    {"float", "", 0, when<[](const Value& v) { return v.is(Kind::kFloat); }>},
    {"number", "", 0, when<[](const Value& v) { return v.number(); }>},
    {"string", "", 0, when<[](const Value& v) { return v.is(Kind::kString); }>},
    {"mapping", "", 0, when<[](const Value& v) { return v.is(Kind::kDict); }>},
    {"escaped", "", 0, when<[](const Value& v) { return v.markup(); }>},
    {"sequence", "", 0, when<is_sequence>},
    {"iterable", "", 0, when<is_iterable>},
    {"callable", "", 0, when<is_callable>},
    {"odd", "", 0, is_odd},
    {"even", "", 0, is_even},
    {"divisibleby", "num", 1, is_divisible},
    {"upper", "", 0, [](Interpreter& in, const Value& v, const Args&) { return all_cased(in, v, true); }},
    {"lower", "", 0, [](Interpreter& in, const Value& v, const Args&) { return all_cased(in, v, false); }},
    {"sameas", "other", 1, same_as},
    {"filter", "", 0, [](Interpreter&, const Value& v, const Args&) { return is_known(v, find_filter); }},
    {"test", "", 0, [](Interpreter&, const Value& v, const Args&) { return is_known(v, find_test); }},
    {"in", "seq", 1, compares<Op::kIn>},
    {"==", "/other", 1, compares<Op::kEq>},
    {"eq", "/other", 1, compares<Op::kEq>},
    {"equalto", "/other", 1, compares<Op::kEq>},
    {"!=", "/other", 1, compares<Op::kNe>},
    {"ne", "/other", 1, compares<Op::kNe>},
    {"<", "/other", 1, compares<Op::kLt>},
    {"lt", "/other", 1, compares<Op::kLt>},
    {"lessthan", "/other", 1, compares<Op::kLt>},
    {"<=", "/other", 1, compares<Op::kLe>},
    {"le", "/other", 1, compares<Op::kLe>},
    {">", "/other", 1, compares<Op::kGt>},
    {"gt", "/other", 1, compares<Op::kGt>},
    {"greaterthan", "/other", 1, compares<Op::kGt>},
    {">=", "/other", 1, compares<Op::kGe>},
    {"ge", "/other", 1, compares<Op::kGe>},
};

}  // namespace

const Builtin* find_test(std::string_view name) {
  for (const Builtin& row : kTests) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace hb::jinja
