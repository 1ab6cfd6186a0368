#include <fmt/format.h>

#include <cmath>

#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/percent_format.h"
#include "model/jinja/print.h"

namespace hb::jinja {
namespace {

std::string_view op_sign(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSub:
      return "-";
    case Op::kMul:
      return "*";
    case Op::kDiv:
      return "/";
    case Op::kFloorDiv:
      return "//";
    case Op::kMod:
      return "%";
    default:
      return "**";
  }
}

std::unexpected<Error> unsupported(Op op, const Value& a, const Value& b) {
  return wrong(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", op_sign(op), type_name(a),
                           type_name(b)));
}

std::unexpected<Error> overflow() { return fail(ErrorCode::kUnsupported, "an integer grows beyond 64 bits"); }

// `operation` is one of the compiler's overflow built-ins.
template <class Operation>
Result<Value> checked(Operation operation, int64_t a, int64_t b) {
  int64_t result = 0;
  if (operation(a, b, &result)) return overflow();
  return Value::integer(result);
}

bool add(int64_t a, int64_t b, int64_t* result) { return __builtin_add_overflow(a, b, result); }
bool subtract(int64_t a, int64_t b, int64_t* result) { return __builtin_sub_overflow(a, b, result); }
bool multiply(int64_t a, int64_t b, int64_t* result) { return __builtin_mul_overflow(a, b, result); }

// Floor division and modulo, whose sign follows the divisor.
Result<Value> integer_division(Op op, int64_t a, int64_t b) {
  if (b == 0) return wrong("integer division or modulo by zero");
  if (b == -1) return op == Op::kMod ? Value::integer(0) : checked(subtract, 0, a);
  const int64_t remainder = a % b;
  const bool adjust = remainder != 0 && ((remainder < 0) != (b < 0));
  if (op == Op::kMod) return Value::integer(adjust ? remainder + b : remainder);
  return Value::integer(a / b - (adjust ? 1 : 0));
}

Result<Value> integer_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return overflow();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return overflow();
  }
  return Value::integer(result);
}

Result<Value> float_power(double a, double b) {
  if (a == 0 && b < 0) return wrong("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    return fail(ErrorCode::kUnsupported, "complex numbers are not supported");
  }
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    return wrong("the result is too large for a float");
  return Value::real(result);
}

// Python's float modulo and floor division.
Result<Value> float_division(Op op, double a, double b) {
  if (b == 0) return wrong("float division or modulo by zero");
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  if (op == Op::kMod) return Value::real(remainder);
  if (quotient == 0) return Value::real(std::copysign(0.0, a / b));
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return Value::real(whole);
}

Result<Value> float_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return Value::real(a + b);
    case Op::kSub:
      return Value::real(a - b);
    case Op::kMul:
      return Value::real(a * b);
    case Op::kDiv:
      if (b == 0) return wrong("division by zero");
      return Value::real(a / b);
    case Op::kPow:
      return float_power(a, b);
    default:
      return float_division(op, a, b);
  }
}

Result<Value> integer_arithmetic(Op op, int64_t a, int64_t b) {
  switch (op) {
    case Op::kAdd:
      return checked(add, a, b);
    case Op::kSub:
      return checked(subtract, a, b);
    case Op::kMul:
      return checked(multiply, a, b);
    case Op::kDiv:
      return float_arithmetic(op, static_cast<double>(a), static_cast<double>(b));
    case Op::kPow:
      if (b < 0) return float_power(static_cast<double>(a), static_cast<double>(b));
      return integer_power(a, b);
    default:
      return integer_division(op, a, b);
  }
}

// A string next to escaped text is escaped as well.
std::string as_markup(const Value& value) {
  return value.markup() ? value.as_string() : escape_html(value.as_string());
}

Result<Value> add_strings(Interpreter& in, const Value& a, const Value& b) {
  HB_TRY(in.budget().allocate(a.as_string().size() + b.as_string().size()));
  if (!a.markup() && !b.markup()) return in.text(a.as_string() + b.as_string());
  return in.text(as_markup(a) + as_markup(b), true);
}

Result<Value> add_lists(Interpreter& in, const Value& a, const Value& b) {
  HB_TRY(in.budget().allocate((a.items().size() + b.items().size()) * sizeof(Value)));
  std::vector<Value> items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  return in.list(std::move(items), a.kind());
}

Result<Value> repeat(Interpreter& in, const Value& value, int64_t count) {
  const auto times = static_cast<uint64_t>(std::max<int64_t>(count, 0));
  const bool is_string = value.is(Kind::kString);
  const size_t unit = is_string ? value.as_string().size() : value.items().size() * sizeof(Value);
  if (unit != 0 && times > in.budget().limits().value_bytes / unit) {
    HB_TRY(in.budget().allocate(in.budget().limits().value_bytes + 1));
  }
  HB_TRY(in.budget().allocate(unit * (unit == 0 ? 0 : times)));
  std::string text;
  std::vector<Value> items;
  for (uint64_t i = 0; unit != 0 && i < times; ++i) {
    if (is_string) {
      text += value.as_string();
    } else {
      items.insert(items.end(), value.items().begin(), value.items().end());
    }
  }
  if (is_string) return in.text(std::move(text), value.markup());
  return in.list(std::move(items), value.kind());
}

bool repeatable(const Value& value) { return value.is(Kind::kString) || value.sequence(); }

}  // namespace

Result<Value> arithmetic(Interpreter& in, Op op, const Value& a, const Value& b) {
  if (a.is(Kind::kUndefined)) return undefined_error(a);
  if (op == Op::kMod && a.is(Kind::kString)) return percent_format(in, a, b);
  if (b.is(Kind::kUndefined)) return undefined_error(b);
  if (a.integral() && b.integral()) return integer_arithmetic(op, a.as_int(), b.as_int());
  if (a.number() && b.number()) return float_arithmetic(op, a.as_double(), b.as_double());
  if (op == Op::kAdd && a.is(Kind::kString) && b.is(Kind::kString)) return add_strings(in, a, b);
  if (op == Op::kAdd && a.sequence() && a.kind() == b.kind()) return add_lists(in, a, b);
  if (op == Op::kMul && repeatable(a) && b.integral()) return repeat(in, a, b.as_int());
  if (op == Op::kMul && a.integral() && repeatable(b)) return repeat(in, b, a.as_int());
  return unsupported(op, a, b);
}

Result<Value> negate(const Value& value) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.is(Kind::kFloat)) return Value::real(-value.as_double());
  if (!value.integral()) return wrong(fmt::format("bad operand type for unary -: '{}'", type_name(value)));
  if (value.as_int() == INT64_MIN) return overflow();
  return Value::integer(-value.as_int());
}

}  // namespace hb::jinja
