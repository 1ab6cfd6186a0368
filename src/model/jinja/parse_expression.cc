// Precedence levels, calls, filters and tests. Literals are in parse_primary.cc.
#include <fmt/format.h>

#include "model/jinja/builtins.h"
#include "model/jinja/limits.h"
#include "model/jinja/parser.h"

namespace hb::jinja {

std::unexpected<Error> ExpressionParser::error(const std::string& message) const {
  return fail(ErrorCode::kBadFile, fmt::format("line {}: {}", current().line, message));
}

std::unexpected<Error> ExpressionParser::unexpected_token(std::string_view wanted) const {
  switch (current().kind) {
    case TokenKind::kEnd:
      return error(fmt::format("expected {}, found the end of the template", wanted));
    case TokenKind::kPrintEnd:
      return error(fmt::format("expected {}, found '}}}}'", wanted));
    case TokenKind::kBlockEnd:
      return error(fmt::format("expected {}, found '%}}'", wanted));
    default:
      return error(fmt::format("expected {}, found '{}'", wanted, current().text));
  }
}

bool ExpressionParser::skip_operator(std::string_view op) {
  if (!at_operator(op)) return false;
  take();
  return true;
}

bool ExpressionParser::skip_name(std::string_view name) {
  if (!at_name(name)) return false;
  take();
  return true;
}

Status ExpressionParser::expect_operator(std::string_view op) {
  if (skip_operator(op)) return {};
  return unexpected_token(fmt::format("'{}'", op));
}

Result<std::string> ExpressionParser::expect_name() {
  if (!at_kind(TokenKind::kName)) return unexpected_token("a name");
  return take().text;
}

Status ExpressionParser::enter() {
  if (++depth_ <= kMaxSyntaxDepth) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("line {}: expressions and blocks are nested deeper than the limit of {}",
                          current().line, kMaxSyntaxDepth));
}

ExprPtr ExpressionParser::node(ExprKind kind, uint32_t line) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->line = line;
  return expr;
}

ExprPtr ExpressionParser::binary(ExprKind kind, uint32_t line, ExprPtr left, ExprPtr right) const {
  ExprPtr expr = node(kind, line);
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(right));
  return expr;
}

Result<ExprPtr> ExpressionParser::expression(bool with_conditional) {
  const DepthScope scope(*this);
  HB_TRY(enter());
  return with_conditional ? conditional() : logical_or();
}

Result<ExprPtr> ExpressionParser::conditional() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  const size_t unknown_before = unknown_builtins_.size();
  HB_ASSIGN(ExprPtr expr, logical_or());
  while (skip_name("if")) {
    HB_TRY(enter());
    ExprPtr choice = node(ExprKind::kConditional, line);
    HB_ASSIGN(ExprPtr condition, logical_or());
    ExprPtr otherwise;
    if (skip_name("else")) {
      HB_ASSIGN(otherwise, expression());
    }
    choice->children.push_back(std::move(condition));
    choice->children.push_back(std::move(expr));
    choice->children.push_back(std::move(otherwise));
    expr = std::move(choice);
    unknown_builtins_.resize(unknown_before);
  }
  return expr;
}

Result<ExprPtr> ExpressionParser::logical_or() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  HB_ASSIGN(ExprPtr left, logical_and());
  while (skip_name("or")) {
    HB_TRY(enter());
    HB_ASSIGN(ExprPtr right, logical_and());
    left = binary(ExprKind::kOr, line, std::move(left), std::move(right));
  }
  return left;
}

Result<ExprPtr> ExpressionParser::logical_and() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  HB_ASSIGN(ExprPtr left, logical_not());
  while (skip_name("and")) {
    HB_TRY(enter());
    HB_ASSIGN(ExprPtr right, logical_not());
    left = binary(ExprKind::kAnd, line, std::move(left), std::move(right));
  }
  return left;
}

Result<ExprPtr> ExpressionParser::logical_not() {
  const uint32_t line = current().line;
  if (!skip_name("not")) return compare();
  const DepthScope scope(*this);
  HB_TRY(enter());
  HB_ASSIGN(ExprPtr operand, logical_not());
  ExprPtr expr = node(ExprKind::kNot, line);
  expr->children.push_back(std::move(operand));
  return expr;
}

bool ExpressionParser::take_comparison(Op& op) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"==", Op::kEq}, {"!=", Op::kNe}, {"<", Op::kLt}, {"<=", Op::kLe}, {">", Op::kGt}, {">=", Op::kGe}};
  for (const auto& [text, candidate] : kOps) {
    op = candidate;
    if (skip_operator(text)) return true;
  }
  op = Op::kIn;
  if (skip_name("in")) return true;
  if (!at_name("not") || !is(peek(), TokenKind::kName, "in")) return false;
  take();
  take();
  op = Op::kNotIn;
  return true;
}

Result<ExprPtr> ExpressionParser::compare() {
  const uint32_t line = current().line;
  HB_ASSIGN(ExprPtr first, sum());
  Op op = Op::kEq;
  if (!take_comparison(op)) return first;
  ExprPtr expr = node(ExprKind::kCompare, line);
  expr->children.push_back(std::move(first));
  do {
    HB_ASSIGN(ExprPtr next, sum());
    expr->ops.push_back(op);
    expr->children.push_back(std::move(next));
  } while (take_comparison(op));
  return expr;
}

Result<ExprPtr> ExpressionParser::sum() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  HB_ASSIGN(ExprPtr left, concat());
  while (at_operator("+") || at_operator("-")) {
    HB_TRY(enter());
    const Op op = take().text == "+" ? Op::kAdd : Op::kSub;
    HB_ASSIGN(ExprPtr right, concat());
    left = binary(ExprKind::kBinary, line, std::move(left), std::move(right));
    left->ops.push_back(op);
  }
  return left;
}

Result<ExprPtr> ExpressionParser::concat() {
  const uint32_t line = current().line;
  HB_ASSIGN(ExprPtr first, product());
  if (!at_operator("~")) return first;
  ExprPtr expr = node(ExprKind::kConcat, line);
  expr->children.push_back(std::move(first));
  while (skip_operator("~")) {
    HB_ASSIGN(ExprPtr next, product());
    expr->children.push_back(std::move(next));
  }
  return expr;
}

Result<ExprPtr> ExpressionParser::product() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  HB_ASSIGN(ExprPtr left, power());
  while (at_operator("*") || at_operator("/") || at_operator("//") || at_operator("%")) {
    HB_TRY(enter());
    const std::string text = take().text;
    HB_ASSIGN(ExprPtr right, power());
    left = binary(ExprKind::kBinary, line, std::move(left), std::move(right));
    left->ops.push_back(text == "*"    ? Op::kMul
                        : text == "/"  ? Op::kDiv
                        : text == "//" ? Op::kFloorDiv
                                       : Op::kMod);
  }
  return left;
}

Result<ExprPtr> ExpressionParser::power() {
  const uint32_t line = current().line;
  const DepthScope scope(*this);
  HB_ASSIGN(ExprPtr left, unary());
  while (skip_operator("**")) {
    HB_TRY(enter());
    HB_ASSIGN(ExprPtr right, unary());
    left = binary(ExprKind::kBinary, line, std::move(left), std::move(right));
    left->ops.push_back(Op::kPow);
  }
  return left;
}

Result<ExprPtr> ExpressionParser::unary(bool with_filter) {
  const uint32_t line = current().line;
  ExprPtr expr;
  if (at_operator("-") || at_operator("+")) {
    expr = node(take().text == "-" ? ExprKind::kNegate : ExprKind::kPlus, line);
    const DepthScope scope(*this);
    HB_TRY(enter());
    HB_ASSIGN(ExprPtr operand, unary(false));
    expr->children.push_back(std::move(operand));
  } else {
    HB_ASSIGN(expr, primary());
  }
  HB_ASSIGN(expr, postfix(std::move(expr)));
  if (!with_filter) return expr;
  return filters_and_tests(std::move(expr));
}

Result<ExprPtr> ExpressionParser::postfix(ExprPtr subject) {
  const DepthScope scope(*this);
  while (true) {
    HB_TRY(enter());
    if (at_operator(".")) {
      HB_ASSIGN(subject, attribute(std::move(subject)));
    } else if (at_operator("[")) {
      HB_ASSIGN(subject, subscript(std::move(subject)));
    } else if (at_operator("(")) {
      HB_ASSIGN(subject, call(std::move(subject)));
    } else {
      return subject;
    }
  }
}

Result<ExprPtr> ExpressionParser::filters_and_tests(ExprPtr subject) {
  const DepthScope scope(*this);
  while (true) {
    HB_TRY(enter());
    if (skip_operator("|")) {
      HB_ASSIGN(subject, filter(std::move(subject)));
    } else if (at_name("is")) {
      HB_ASSIGN(subject, test(std::move(subject)));
    } else if (at_operator("(")) {
      HB_ASSIGN(subject, call(std::move(subject)));
    } else {
      return subject;
    }
  }
}

Result<ExprPtr> ExpressionParser::call(ExprPtr subject) {
  ExprPtr expr = node(ExprKind::kCall, current().line);
  HB_ASSIGN(expr->args, call_args());
  expr->children.push_back(std::move(subject));
  return expr;
}

Result<std::unique_ptr<CallArgs>> ExpressionParser::call_args() {
  HB_TRY(expect_operator("("));
  auto args = std::make_unique<CallArgs>();
  bool first = true;
  while (!at_operator(")")) {
    if (!first) {
      HB_TRY(expect_operator(","));
      if (at_operator(")")) break;
    }
    first = false;
    HB_TRY(call_arg(*args));
  }
  HB_TRY(expect_operator(")"));
  return args;
}

Status ExpressionParser::call_arg(CallArgs& args) {
  const bool star = at_operator("*");
  const bool double_star = at_operator("**");
  const bool named = at_kind(TokenKind::kName) && is(peek(), TokenKind::kOperator, "=");
  const bool plain = !star && !double_star && !named;
  if (args.double_star || (args.star && (star || plain)) || (plain && !args.named.empty())) {
    return error("the arguments of a call are in a wrong order");
  }
  std::string name;
  if (named) name = take().text;
  if (!plain) take();
  HB_ASSIGN(ExprPtr value, expression());
  if (star) {
    args.star = std::move(value);
  } else if (double_star) {
    args.double_star = std::move(value);
  } else if (named) {
    args.named.emplace_back(std::move(name), std::move(value));
  } else {
    args.positional.push_back(std::move(value));
  }
  return {};
}

Result<std::string> ExpressionParser::dotted_name() {
  HB_ASSIGN(std::string name, expect_name());
  while (skip_operator(".")) {
    HB_ASSIGN(const std::string part, expect_name());
    name += "." + part;
  }
  return name;
}

namespace {

Error unknown_builtin(const char* what, const Expr& expr) {
  return {ErrorCode::kUnsupported, fmt::format("line {}: there is no {} '{}'", expr.line, what, expr.name)};
}

}  // namespace

Result<ExprPtr> ExpressionParser::filter(ExprPtr subject) {
  ExprPtr expr = node(ExprKind::kFilter, current().line);
  HB_ASSIGN(expr->name, dotted_name());
  expr->builtin = find_filter(expr->name);
  if (expr->builtin == nullptr && !soft_) unknown_builtins_.push_back(unknown_builtin("filter", *expr));
  if (at_operator("(")) {
    HB_ASSIGN(expr->args, call_args());
  } else {
    expr->args = std::make_unique<CallArgs>();
  }
  expr->children.push_back(std::move(subject));
  return expr;
}

Result<ExprPtr> ExpressionParser::block_filter() {
  HB_ASSIGN(ExprPtr expr, filter(nullptr));
  const DepthScope scope(*this);
  while (skip_operator("|")) {
    HB_TRY(enter());
    HB_ASSIGN(expr, filter(std::move(expr)));
  }
  return expr;
}

Result<ExprPtr> ExpressionParser::test(ExprPtr subject) {
  const uint32_t line = take().line;
  const bool negated = skip_name("not");
  ExprPtr expr = node(ExprKind::kTest, line);
  HB_ASSIGN(expr->name, dotted_name());
  expr->builtin = find_test(expr->name);
  if (expr->builtin == nullptr && !soft_) unknown_builtins_.push_back(unknown_builtin("test", *expr));
  expr->children.push_back(std::move(subject));
  if (at_operator("(")) {
    HB_ASSIGN(expr->args, call_args());
  } else {
    expr->args = std::make_unique<CallArgs>();
    HB_TRY(test_args(*expr->args));
  }
  if (!negated) return expr;
  ExprPtr inverse = node(ExprKind::kNot, line);
  inverse->children.push_back(std::move(expr));
  return inverse;
}

// A test's argument without parentheses: x is divisibleby 3.
Status ExpressionParser::test_args(CallArgs& args) {
  const bool word = at_kind(TokenKind::kName) && !at_name("else") && !at_name("or") && !at_name("and");
  const bool literal =
      at_kind(TokenKind::kString) || at_kind(TokenKind::kInteger) || at_kind(TokenKind::kFloat);
  if (!word && !literal && !at_operator("[") && !at_operator("{")) return {};
  if (at_name("is")) return error("tests cannot be chained with 'is'");
  HB_ASSIGN(ExprPtr arg, primary());
  HB_ASSIGN(arg, postfix(std::move(arg)));
  args.positional.push_back(std::move(arg));
  return {};
}

}  // namespace hb::jinja
