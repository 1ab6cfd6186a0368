// Tokens into a syntax tree: parse_template() for statements, ExpressionParser for what stands inside tags.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/jinja/ast.h"
#include "model/jinja/lexer.h"

namespace hb::jinja {

// A complete template, its names resolved.
// ERRORS: kBadFile (syntax, with the line), kUnsupported (a tag, filter or size beyond this engine).
Result<std::unique_ptr<const Template>> parse_template(std::string_view source);

// The expressions of Jinja, one function per level of precedence. Also the base of the statement parser.
class ExpressionParser {
 protected:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // In an unparenthesised list of expressions, `extra_end` is a name that ends it ("in" after a loop's
  // targets).
  Result<ExprPtr> tuple_or_expression(bool with_conditional = true);
  Result<ExprPtr> expression(bool with_conditional = true);
  Result<ExprPtr> target_tuple();  // names to assign to, up to '=', 'in' or the end of the tag
  Result<ExprPtr> block_filter();  // name|name(args), for the body of a block
  Result<ExprPtr> unary(bool with_filter = true);
  Result<ExprPtr> name_or_constant();

  const Token& current() const { return tokens_[at_]; }
  const Token& peek() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool at_operator(std::string_view op) const { return is(current(), TokenKind::kOperator, op); }
  bool at_name(std::string_view name) const { return is(current(), TokenKind::kName, name); }
  bool at_kind(TokenKind kind) const { return current().kind == kind; }
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view name);
  Status expect_operator(std::string_view op);
  Result<std::string> expect_name();

  std::unexpected<Error> error(const std::string& message) const;
  std::unexpected<Error> unexpected_token(std::string_view wanted) const;

  // Ends the levels that enter() began during its life.
  class DepthScope {
   public:
    explicit DepthScope(ExpressionParser& parser) : parser_(parser), outer_(parser.depth_) {}
    ~DepthScope() { parser_.depth_ = outer_; }

   private:
    ExpressionParser& parser_;
    const uint32_t outer_;
  };
  // One level deeper, in the parser or in the tree it builds; an error beyond kMaxSyntaxDepth.
  Status enter();

  // Jinja refuses unknown filters and tests when it compiles, but inside {% if %} and a conditional
  // expression only when they run: hence errors that may be forgotten.
  bool soft_ = false;
  std::vector<Error> unknown_builtins_;

 private:
  using Level = Result<ExprPtr> (ExpressionParser::*)();

  static bool is(const Token& token, TokenKind kind, std::string_view text) {
    return token.kind == kind && token.text == text;
  }
  ExprPtr node(ExprKind kind, uint32_t line) const;
  ExprPtr binary(ExprKind kind, uint32_t line, ExprPtr left, ExprPtr right) const;

  Result<ExprPtr> conditional();
  Result<ExprPtr> logical_or();
  Result<ExprPtr> logical_and();
  Result<ExprPtr> logical_not();
  Result<ExprPtr> compare();
  bool take_comparison(Op& op);
  Result<ExprPtr> sum();
  Result<ExprPtr> concat();
  Result<ExprPtr> product();
  Result<ExprPtr> power();
  Result<ExprPtr> primary();
  Result<ExprPtr> number();
  Result<ExprPtr> tuple(Level item, bool in_parentheses);
  bool at_tuple_end() const;
  Result<ExprPtr> list();
  Result<ExprPtr> dict();
  Result<ExprPtr> postfix(ExprPtr subject);
  Result<ExprPtr> filters_and_tests(ExprPtr subject);
  Result<ExprPtr> attribute(ExprPtr subject);
  Result<ExprPtr> subscript(ExprPtr subject);
  Result<ExprPtr> slice_part();
  Result<ExprPtr> call(ExprPtr subject);
  Result<std::unique_ptr<CallArgs>> call_args();
  Status call_arg(CallArgs& args);
  Result<ExprPtr> filter(ExprPtr subject);  // behind the '|'
  Result<ExprPtr> test(ExprPtr subject);
  Status test_args(CallArgs& args);
  Result<std::string> dotted_name();
  Status check_assignable(const Expr& target) const;

  std::vector<Token> tokens_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace hb::jinja
