#include <fmt/format.h>

#include "base/check.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"

namespace hb::jinja {

Result<Value> Interpreter::evaluate(const Expr& expr, Activation& variables) {
  if (expr.kind == ExprKind::kConst) return expr.value;
  Status status = budget_.step();
  if (status) status = budget_.enter();
  Result<Value> result = status ? evaluate_kind(expr, variables) : std::unexpected(status.error());
  budget_.leave();
  if (!result && error_line_ == 0) error_line_ = expr.line;
  return result;
}

Result<Value> Interpreter::evaluate_kind(const Expr& expr, Activation& variables) {
  const auto child = [&](size_t i) { return evaluate(*expr.children[i], variables); };
  switch (expr.kind) {
    case ExprKind::kConst:
      return expr.value;
    case ExprKind::kNamespaceRef:
    case ExprKind::kName:
      return read(expr, variables);
    case ExprKind::kList:
    case ExprKind::kTuple: {
      HB_ASSIGN(auto items, evaluate_all(expr.children, variables));
      return list(std::move(items), expr.kind == ExprKind::kList ? Kind::kList : Kind::kTuple);
    }
    case ExprKind::kDict:
      return dict_literal(expr, variables);
    case ExprKind::kSlice:
      return slice_of(expr, variables);
    case ExprKind::kConcat:
      return concatenation(expr, variables);
    case ExprKind::kCompare:
      return comparison(expr, variables);
    case ExprKind::kConditional:
      return conditional(expr, variables);
    case ExprKind::kCall:
      return call_expression(expr, variables, Value());
    case ExprKind::kBinary:
    case ExprKind::kItem: {
      HB_ASSIGN(const Value left, child(0));
      HB_ASSIGN(const Value right, child(1));
      return expr.kind == ExprKind::kItem ? item(left, right) : arithmetic(*this, expr.ops[0], left, right);
    }
    default:
      break;
  }
  HB_ASSIGN(Value first, child(0));
  switch (expr.kind) {
    case ExprKind::kAttribute:
      return attribute(first, expr.name);
    case ExprKind::kFilter:
    case ExprKind::kTest:
      return filter_or_test(expr, first, variables);
    case ExprKind::kNot:
      return Value::boolean(!truthy(first));
    case ExprKind::kNegate:
      return negate(first);
    case ExprKind::kPlus:
      return arithmetic(*this, Op::kAdd, Value::integer(0), first);
    case ExprKind::kAnd:
      return truthy(first) ? child(1) : first;
    case ExprKind::kOr:
      return truthy(first) ? first : child(1);
    default:
      HB_CHECK(!"an unknown kind of expression");
  }
  return Value();
}

Value Interpreter::read(const Expr& name, Activation& variables) {
  const Value& value = variables.at(name.slot);
  if (!value.missing()) return value;
  return Value::undefined(fmt::format("'{}' is undefined", name.name));
}

Result<std::vector<Value>> Interpreter::evaluate_all(const std::vector<ExprPtr>& exprs,
                                                     Activation& variables) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    HB_ASSIGN(Value value, evaluate(*expr, variables));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Value> Interpreter::dict_literal(const Expr& expr, Activation& variables) {
  DictObject entries;
  for (size_t i = 0; i < expr.children.size(); i += 2) {
    HB_ASSIGN(const Value key, evaluate(*expr.children[i], variables));
    HB_ASSIGN(Value value, evaluate(*expr.children[i + 1], variables));
    if (!hashable(key)) return wrong(fmt::format("unhashable type: '{}'", type_name(key)));
    entries.set(key, std::move(value));
  }
  return dict(std::move(entries));
}

Result<Value> Interpreter::slice_of(const Expr& expr, Activation& variables) {
  HB_ASSIGN(const Value subject, evaluate(*expr.children[0], variables));
  Value parts[3] = {Value::none(), Value::none(), Value::none()};
  for (size_t i = 0; i < 3; ++i) {
    if (!expr.children[i + 1]) continue;
    HB_ASSIGN(parts[i], evaluate(*expr.children[i + 1], variables));
  }
  return slice(*this, subject, {parts[0], parts[1], parts[2]});
}

Result<Value> Interpreter::concatenation(const Expr& expr, Activation& variables) {
  HB_ASSIGN(const auto values, evaluate_all(expr.children, variables));
  std::string joined;
  for (const Value& value : values) {
    HB_ASSIGN(const std::string part, to_str(*this, value));
    HB_TRY(write(part, joined));
  }
  return text(std::move(joined));
}

Result<Value> Interpreter::comparison(const Expr& expr, Activation& variables) {
  HB_ASSIGN(Value left, evaluate(*expr.children[0], variables));
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    HB_ASSIGN(Value right, evaluate(*expr.children[i + 1], variables));
    HB_ASSIGN(const bool holds, compare(*this, expr.ops[i], left, right));
    if (!holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Result<Value> Interpreter::conditional(const Expr& expr, Activation& variables) {
  HB_ASSIGN(const Value condition, evaluate(*expr.children[0], variables));
  if (truthy(condition)) return evaluate(*expr.children[1], variables);
  if (expr.children[2]) return evaluate(*expr.children[2], variables);
  return Value::undefined(fmt::format(
      "the inline if-expression on line {} evaluated to false and no else section was defined", expr.line));
}

Status Interpreter::named_arguments(Args& out, const Value& mapping) {
  if (!mapping.is(Kind::kDict)) return wrong("the argument after ** must be a mapping");
  for (const auto& [key, value] : mapping.dict().entries) {
    if (!key.is(Kind::kString)) return wrong("keywords must be strings");
    out.named.emplace_back(key.as_string(), value);
  }
  return {};
}

Result<Args> Interpreter::arguments(const CallArgs& args, Activation& variables) {
  Args out;
  HB_ASSIGN(out.positional, evaluate_all(args.positional, variables));
  for (const auto& [name, expr] : args.named) {
    HB_ASSIGN(Value value, evaluate(*expr, variables));
    out.named.emplace_back(name, std::move(value));
  }
  if (args.star) {
    HB_ASSIGN(const Value star, evaluate(*args.star, variables));
    HB_ASSIGN(const auto more, collect(*this, star));
    out.positional.insert(out.positional.end(), more.begin(), more.end());
  }
  if (args.double_star) {
    HB_ASSIGN(const Value mapping, evaluate(*args.double_star, variables));
    HB_TRY(named_arguments(out, mapping));
  }
  for (size_t i = 0; i < out.named.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (out.named[i].first == out.named[k].first) {
        return wrong(fmt::format("got multiple values for keyword argument '{}'", out.named[i].first));
      }
    }
  }
  return out;
}

Result<Value> Interpreter::call_expression(const Expr& expr, Activation& variables, const Value& caller) {
  HB_ASSIGN(const Value callee, evaluate(*expr.children[0], variables));
  HB_ASSIGN(Args args, arguments(*expr.args, variables));
  if (!caller.missing()) args.named.emplace_back("caller", caller);
  return call(callee, std::move(args));
}

Result<Value> Interpreter::filter_or_test(const Expr& expr, const Value& subject, Activation& variables) {
  if (expr.builtin == nullptr) return wrong(fmt::format("there is no filter or test '{}'", expr.name));
  HB_ASSIGN(const Args args, arguments(*expr.args, variables));
  return call_builtin(*this, *expr.builtin, subject, args);
}

// The filters of a block: the innermost one has no subject but the block's text.
Result<Value> Interpreter::block_filter(const Expr& expr, Value text, Activation& variables) {
  if (expr.children[0]) {
    HB_ASSIGN(text, block_filter(*expr.children[0], std::move(text), variables));
  }
  auto result = filter_or_test(expr, text, variables);
  if (!result && error_line_ == 0) error_line_ = expr.line;
  return result;
}

}  // namespace hb::jinja
