// Literals, names, subscripts and assignment targets.
#include <fmt/format.h>

#include <charconv>

#include "model/jinja/limits.h"
#include "model/jinja/numbers.h"
#include "model/jinja/parser.h"

namespace hb::jinja {

Result<ExprPtr> ExpressionParser::primary() {
  const uint32_t line = current().line;
  switch (current().kind) {
    case TokenKind::kName:
      return name_or_constant();
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return number();
    case TokenKind::kString: {
      ExprPtr expr = node(ExprKind::kConst, line);
      std::string text;
      while (at_kind(TokenKind::kString)) text += take().text;
      expr->value = Value::string(std::move(text));
      return expr;
    }
    default:
      break;
  }
  if (at_operator("[")) return list();
  if (at_operator("{")) return dict();
  if (!skip_operator("(")) return unexpected_token("an expression");
  HB_ASSIGN(ExprPtr expr, tuple(&ExpressionParser::conditional, true));
  HB_TRY(expect_operator(")"));
  return expr;
}

Result<ExprPtr> ExpressionParser::name_or_constant() {
  if (!at_kind(TokenKind::kName)) return unexpected_token("a name");
  const Token token = take();
  ExprPtr expr = node(ExprKind::kConst, token.line);
  if (token.text == "true" || token.text == "True") {
    expr->value = Value::boolean(true);
  } else if (token.text == "false" || token.text == "False") {
    expr->value = Value::boolean(false);
  } else if (token.text == "none" || token.text == "None") {
    expr->value = Value::none();
  } else {
    expr->kind = ExprKind::kName;
    expr->name = token.text;
  }
  return expr;
}

Result<ExprPtr> ExpressionParser::number() {
  ExprPtr expr = node(ExprKind::kConst, current().line);
  if (at_kind(TokenKind::kFloat)) {
    expr->value = Value::real(parse_float(current().text).value_or(0));
    take();
    return expr;
  }
  const auto parsed = parse_integer(current().text, 0);
  if (!parsed) return error(fmt::format("the integer {} does not fit 64 bits", current().text));
  take();
  expr->value = Value::integer(*parsed);
  return expr;
}

bool ExpressionParser::at_tuple_end() const {
  return at_kind(TokenKind::kPrintEnd) || at_kind(TokenKind::kBlockEnd) || at_operator(")");
}

Result<ExprPtr> ExpressionParser::tuple(Level item, bool in_parentheses) {
  const uint32_t line = current().line;
  const bool target = item == &ExpressionParser::primary;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  const DepthScope scope(*this);
  HB_TRY(enter());
  while (!at_tuple_end() && !(target && at_name("in"))) {
    HB_ASSIGN(ExprPtr next, (this->*item)());
    items.push_back(std::move(next));
    if (!skip_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return std::move(items[0]);
  if (!is_tuple && !in_parentheses) return unexpected_token("an expression");
  ExprPtr expr = node(ExprKind::kTuple, line);
  expr->children = std::move(items);
  return expr;
}

Result<ExprPtr> ExpressionParser::tuple_or_expression(bool with_conditional) {
  return tuple(with_conditional ? &ExpressionParser::conditional : &ExpressionParser::logical_or, false);
}

Result<ExprPtr> ExpressionParser::target_tuple() {
  if (at_kind(TokenKind::kName) && is(peek(), TokenKind::kOperator, ".")) {
    ExprPtr expr = node(ExprKind::kNamespaceRef, current().line);
    expr->name = take().text;
    take();
    HB_ASSIGN(expr->attribute, expect_name());
    return expr;
  }
  HB_ASSIGN(ExprPtr expr, tuple(&ExpressionParser::primary, false));
  HB_TRY(check_assignable(*expr));
  return expr;
}

Status ExpressionParser::check_assignable(const Expr& target) const {
  if (target.kind == ExprKind::kName) return {};
  if (target.kind != ExprKind::kTuple) return error("only names and tuples of names can be assigned to");
  for (const ExprPtr& child : target.children) HB_TRY(check_assignable(*child));
  return {};
}

Result<ExprPtr> ExpressionParser::list() {
  ExprPtr expr = node(ExprKind::kList, current().line);
  take();
  while (!at_operator("]")) {
    if (!expr->children.empty()) HB_TRY(expect_operator(","));
    if (at_operator("]")) break;
    HB_ASSIGN(ExprPtr item, expression());
    expr->children.push_back(std::move(item));
  }
  take();
  return expr;
}

Result<ExprPtr> ExpressionParser::dict() {
  ExprPtr expr = node(ExprKind::kDict, current().line);
  take();
  while (!at_operator("}")) {
    if (!expr->children.empty()) HB_TRY(expect_operator(","));
    if (at_operator("}")) break;
    HB_ASSIGN(ExprPtr key, expression());
    HB_TRY(expect_operator(":"));
    HB_ASSIGN(ExprPtr value, expression());
    expr->children.push_back(std::move(key));
    expr->children.push_back(std::move(value));
  }
  take();
  return expr;
}

Result<ExprPtr> ExpressionParser::attribute(ExprPtr subject) {
  const uint32_t line = take().line;
  if (at_kind(TokenKind::kInteger)) {
    HB_ASSIGN(ExprPtr index, number());
    return binary(ExprKind::kItem, line, std::move(subject), std::move(index));
  }
  ExprPtr expr = node(ExprKind::kAttribute, line);
  HB_ASSIGN(expr->name, expect_name());
  expr->children.push_back(std::move(subject));
  return expr;
}

// One of the three parts of a slice, null if it is left out.
Result<ExprPtr> ExpressionParser::slice_part() {
  if (at_operator(":") || at_operator("]") || at_operator(",")) return nullptr;
  return expression();
}

Result<ExprPtr> ExpressionParser::subscript(ExprPtr subject) {
  const uint32_t line = take().line;
  HB_ASSIGN(ExprPtr first, slice_part());
  if (!at_operator(":")) {
    if (!first) return unexpected_token("an index");
    ExprPtr index = std::move(first);
    if (at_operator(",")) {
      index = binary(ExprKind::kTuple, line, std::move(index), nullptr);
      index->children.pop_back();
      while (skip_operator(",")) {
        HB_ASSIGN(ExprPtr next, expression());
        index->children.push_back(std::move(next));
      }
    }
    HB_TRY(expect_operator("]"));
    return binary(ExprKind::kItem, line, std::move(subject), std::move(index));
  }
  take();
  ExprPtr expr = binary(ExprKind::kSlice, line, std::move(subject), std::move(first));
  HB_ASSIGN(ExprPtr stop, slice_part());
  ExprPtr step;
  if (skip_operator(":")) {
    HB_ASSIGN(step, slice_part());
  }
  expr->children.push_back(std::move(stop));
  expr->children.push_back(std::move(step));
  HB_TRY(expect_operator("]"));
  return expr;
}

}  // namespace hb::jinja
