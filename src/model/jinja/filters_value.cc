// Filters that answer numbers or pass values on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/numbers.h"
#include "model/jinja/operations.h"

namespace hb::jinja {
namespace {

Result<Value> default_filter(Interpreter&, const Value& value, const Args& args) {
  const bool replace = value.is(Kind::kUndefined) || (truthy(args.at(1)) && !truthy(value));
  return replace ? args.value_or(0, Value::string("")) : value;
}

// The whole part of a float; the fallback for what is no number.
Result<Value> truncated(double d, const Value& fallback) {
  if (!std::isfinite(d)) return fallback;
  if (!(std::fabs(d) < 9.2e18)) return fail(ErrorCode::kUnsupported, "an integer grows beyond 64 bits");
  return Value::integer(static_cast<int64_t>(d));
}

Result<Value> int_filter(Interpreter&, const Value& value, const Args& args) {
  const Value fallback = args.value_or(0, Value::integer(0));
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.integral()) return Value::integer(value.as_int());
  if (value.is(Kind::kFloat)) {
    if (std::isinf(value.as_double())) return wrong("cannot convert float infinity to integer");
    return truncated(value.as_double(), fallback);
  }
  if (!value.is(Kind::kString)) return fallback;
  const Value base = args.value_or(1, Value::integer(10));
  if (!base.integral()) return wrong("int needs an integer base");
  const auto base_number = static_cast<int>(std::clamp<int64_t>(base.as_int(), -1, 99));
  if (const auto result = parse_integer(value.as_string(), base_number)) return Value::integer(*result);
  const auto real = parse_float(value.as_string());
  return real ? truncated(*real, fallback) : fallback;
}

Result<Value> float_filter(Interpreter&, const Value& value, const Args& args) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.number()) return Value::real(value.as_double());
  const auto parsed = value.is(Kind::kString) ? parse_float(value.as_string()) : std::nullopt;
  return parsed ? Value::real(*parsed) : args.value_or(0, Value::real(0));
}

Result<Value> abs_filter(Interpreter&, const Value& value, const Args&) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.is(Kind::kFloat)) return Value::real(std::fabs(value.as_double()));
  if (!value.integral()) return wrong(fmt::format("bad operand type for abs(): '{}'", type_name(value)));
  return value.as_int() < 0 ? negate(value) : Value::integer(value.as_int());
}

Result<Value> round_to_nearest(const Value& value, int64_t precision) {
  if (value.is(Kind::kFloat)) return Value::real(round_decimal(value.as_double(), precision));
  if (precision >= 0) return Value::integer(value.as_int());
  if (precision < -18) return Value::integer(0);
  int64_t unit = 1;
  for (int64_t i = precision; i < 0; ++i) unit *= 10;
  const int64_t rest = ((value.as_int() % unit) + unit) % unit;
  const int64_t floor = value.as_int() - rest;
  const bool up = rest * 2 > unit || (rest * 2 == unit && (floor / unit) % 2 != 0);
  return Value::integer(up ? floor + unit : floor);
}

Result<Value> round_filter(Interpreter&, const Value& value, const Args& args) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  const Value method = args.value_or(1, Value::string("common"));
  const std::string name = method.is(Kind::kString) ? method.as_string() : "";
  if (name != "common" && name != "ceil" && name != "floor")
    return wrong("method must be common, ceil or floor");
  const Value precision = args.value_or(0, Value::integer(0));
  if (!value.number() || !precision.integral())
    return wrong(fmt::format("cannot round '{}'", type_name(value)));
  if (name == "common") return round_to_nearest(value, precision.as_int());
  const double unit = std::pow(10.0, static_cast<double>(precision.as_int()));
  const double scaled = value.as_double() * unit;
  if (!std::isfinite(scaled)) return wrong("cannot convert float infinity or NaN to integer");
  return Value::real((name == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

Result<Value> attr(Interpreter& in, const Value& value, const Args& args) {
  if (!args.at(0).is(Kind::kString)) return Value::undefined("an attribute's name must be a string");
  if (!value.is(Kind::kDict) || find_method(value, args.at(0).as_string()) != nullptr) {
    return in.attribute(value, args.at(0).as_string());
  }
  return Value::undefined(fmt::format("'dict object' has no attribute '{}'", args.at(0).as_string()));
}

constexpr Builtin kFilters[] = {
    {"default", "default_value,boolean", 0, default_filter},
    {"d", "default_value,boolean", 0, default_filter},
    {"int", "default,base", 0, int_filter},
    {"float", "default", 0, float_filter},
    {"abs", "", 0, abs_filter},
    {"round", "precision,method", 0, round_filter},
    {"attr", "name", 1, attr},
};

}  // namespace

std::span<const Builtin> value_filters() { return kFilters; }

}  // namespace hb::jinja
