// Tags: {% if %}, {% for %}, {% set %}, {% macro %} and so on.
#include <fmt/format.h>

#include <initializer_list>
#include <set>

#include "model/jinja/limits.h"
#include "model/jinja/parser.h"
#include "model/jinja/resolve_names.h"

namespace hb::jinja {
namespace {

class StatementParser : private ExpressionParser {
 public:
  explicit StatementParser(std::vector<Token> tokens) : ExpressionParser(std::move(tokens)) {}

  Result<std::unique_ptr<Template>> run() {
    auto result = std::make_unique<Template>();
    HB_TRY(body(result->body, {}));
    if (!unknown_builtins_.empty()) return std::unexpected(unknown_builtins_[0]);
    return result;
  }

 private:
  using Ends = std::initializer_list<std::string_view>;

  StmtPtr statement(StmtKind kind) const {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = kind;
    stmt->line = current().line;
    return stmt;
  }

  bool at_end_tag(Ends ends) const {
    for (const std::string_view end : ends) {
      if (is_name(peek(), end)) return true;
    }
    return false;
  }
  static bool is_name(const Token& token, std::string_view name) {
    return token.kind == TokenKind::kName && token.text == name;
  }

  Status end_of_tag() {
    if (!at_kind(TokenKind::kBlockEnd)) return unexpected_token("'%}'");
    take();
    return {};
  }

  // Statements up to a tag named in `ends`, whose name is then current(). Without ends: to the template's
  // end.
  Status body(Body& out, Ends ends) {
    const DepthScope scope(*this);
    HB_TRY(enter());
    while (!at_kind(TokenKind::kEnd)) {
      if (at_kind(TokenKind::kBlockBegin)) {
        if (at_end_tag(ends)) {
          take();
          return {};
        }
        HB_TRY(tag(out));
      } else if (at_kind(TokenKind::kPrintBegin)) {
        HB_TRY(print(out));
      } else {
        StmtPtr stmt = statement(StmtKind::kText);
        stmt->text = take().text;
        out.push_back(std::move(stmt));
      }
    }
    if (ends.size() == 0) return {};
    return unexpected_token(fmt::format("'{{% {} %}}'", *(ends.end() - 1)));
  }

  // The body of a block behind its opening tag, and its end tag.
  Status block(Body& out, std::string_view end) {
    HB_TRY(end_of_tag());
    HB_TRY(body(out, {end}));
    take();
    return end_of_tag();
  }

  Status print(Body& out) {
    StmtPtr stmt = statement(StmtKind::kPrint);
    take();
    HB_ASSIGN(stmt->expr, tuple_or_expression());
    if (!at_kind(TokenKind::kPrintEnd)) return unexpected_token("'}}'");
    take();
    out.push_back(std::move(stmt));
    return {};
  }

  Status tag(Body& out) {
    take();
    if (!at_kind(TokenKind::kName)) return unexpected_token("the name of a tag");
    HB_ASSIGN(StmtPtr stmt, named_tag());
    out.push_back(std::move(stmt));
    return {};
  }

  Result<StmtPtr> named_tag() {
    struct Row {
      std::string_view name;
      Result<StmtPtr> (StatementParser::*parse)();
      bool soft;  // filters inside may be unknown as long as they are not run
    };
    static constexpr Row kTags[] = {
        {"if", &StatementParser::if_tag, true},       {"for", &StatementParser::for_tag, false},
        {"set", &StatementParser::set_tag, false},    {"macro", &StatementParser::macro_tag, false},
        {"call", &StatementParser::call_tag, false},  {"filter", &StatementParser::filter_tag, false},
        {"with", &StatementParser::with_tag, false},  {"generation", &StatementParser::generation_tag, false},
        {"break", &StatementParser::jump_tag, false}, {"continue", &StatementParser::jump_tag, false},
    };
    for (const Row& row : kTags) {
      if (!at_name(row.name)) continue;
      const bool outer_soft = std::exchange(soft_, row.soft);
      auto stmt = (this->*row.parse)();
      soft_ = outer_soft;
      return stmt;
    }
    const std::string name = current().text;
    if (name.starts_with("end") || name == "else" || name == "elif") {
      return error(fmt::format("{{% {} %}} without its beginning", name));
    }
    return fail(ErrorCode::kUnsupported,
                fmt::format("line {}: the tag '{}' is not supported", current().line, name));
  }

  Result<StmtPtr> if_tag() {
    StmtPtr stmt = statement(StmtKind::kIf);
    HB_TRY(if_branch(*stmt));
    while (skip_name("elif")) {
      StmtPtr branch = statement(StmtKind::kIf);
      HB_TRY(if_branch_behind_name(*branch));
      stmt->elifs.push_back(std::move(branch));
    }
    if (skip_name("else")) {
      HB_TRY(end_of_tag());
      HB_TRY(body(stmt->otherwise, {"endif"}));
    }
    take();
    HB_TRY(end_of_tag());
    return stmt;
  }

  Status if_branch(Stmt& stmt) {
    take();
    return if_branch_behind_name(stmt);
  }

  Status if_branch_behind_name(Stmt& stmt) {
    HB_ASSIGN(stmt.expr, tuple_or_expression(false));
    HB_TRY(end_of_tag());
    return body(stmt.body, {"elif", "else", "endif"});
  }

  Result<StmtPtr> for_tag() {
    StmtPtr stmt = statement(StmtKind::kFor);
    take();
    HB_ASSIGN(stmt->target, target_tuple());
    if (stmt->target->kind == ExprKind::kNamespaceRef) return error("a loop cannot assign to an attribute");
    if (!skip_name("in")) return unexpected_token("'in'");
    HB_ASSIGN(stmt->expr, tuple_or_expression(false));
    if (skip_name("if")) {
      HB_ASSIGN(stmt->test, expression());
    }
    if (at_name("recursive")) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("line {}: recursive loops are not supported", current().line));
    }
    HB_TRY(end_of_tag());
    const bool outer_loop = std::exchange(in_loop_, true);
    auto body_status = body(stmt->body, {"else", "endfor"});
    in_loop_ = outer_loop;
    HB_TRY(body_status);
    if (take().text == "else") {
      HB_TRY(end_of_tag());
      HB_TRY(body(stmt->otherwise, {"endfor"}));
      take();
    }
    HB_TRY(end_of_tag());
    return stmt;
  }

  Result<StmtPtr> set_tag() {
    StmtPtr stmt = statement(StmtKind::kSet);
    take();
    HB_ASSIGN(stmt->target, target_tuple());
    if (skip_operator("=")) {
      HB_ASSIGN(stmt->expr, tuple_or_expression());
      HB_TRY(end_of_tag());
      return stmt;
    }
    stmt->kind = StmtKind::kSetBlock;
    if (skip_operator("|")) {
      HB_ASSIGN(stmt->expr, block_filter());
    }
    HB_TRY(block(stmt->body, "endset"));
    return stmt;
  }

  // (a, b=1) of a macro or a call block.
  Status signature(Stmt& stmt) {
    HB_TRY(expect_operator("("));
    while (!at_operator(")")) {
      if (!stmt.params.empty()) HB_TRY(expect_operator(","));
      HB_ASSIGN(ExprPtr param, name_or_constant());
      if (param->kind != ExprKind::kName) return error("a parameter must be a name");
      if (skip_operator("=")) {
        HB_ASSIGN(ExprPtr value, expression());
        stmt.defaults.push_back(std::move(value));
      } else if (!stmt.defaults.empty()) {
        return error("a parameter without a default stands behind one with a default");
      }
      stmt.params.push_back(std::move(param));
    }
    return expect_operator(")");
  }

  // The body of a macro: a loop around it is none of its own.
  Status function_block(Stmt& stmt, std::string_view end) {
    const bool outer_loop = std::exchange(in_loop_, false);
    auto status = block(stmt.body, end);
    in_loop_ = outer_loop;
    return status;
  }

  Result<StmtPtr> macro_tag() {
    StmtPtr stmt = statement(StmtKind::kMacro);
    take();
    HB_ASSIGN(stmt->text, expect_name());
    HB_TRY(signature(*stmt));
    HB_TRY(function_block(*stmt, "endmacro"));
    return stmt;
  }

  Result<StmtPtr> call_tag() {
    StmtPtr stmt = statement(StmtKind::kCall);
    take();
    if (at_operator("(")) HB_TRY(signature(*stmt));
    HB_ASSIGN(stmt->expr, expression());
    if (stmt->expr->kind != ExprKind::kCall) return error("{% call %} needs a call of a macro");
    HB_TRY(function_block(*stmt, "endcall"));
    return stmt;
  }

  Result<StmtPtr> filter_tag() {
    StmtPtr stmt = statement(StmtKind::kFilter);
    take();
    HB_ASSIGN(stmt->expr, block_filter());
    HB_TRY(block(stmt->body, "endfilter"));
    return stmt;
  }

  Result<StmtPtr> with_tag() {
    StmtPtr stmt = statement(StmtKind::kWith);
    take();
    while (!at_kind(TokenKind::kBlockEnd)) {
      if (!stmt->params.empty()) HB_TRY(expect_operator(","));
      HB_ASSIGN(ExprPtr target, target_tuple());
      HB_TRY(expect_operator("="));
      HB_ASSIGN(ExprPtr value, expression());
      stmt->params.push_back(std::move(target));
      stmt->defaults.push_back(std::move(value));
    }
    HB_TRY(block(stmt->body, "endwith"));
    return stmt;
  }

  // transformers marks the assistant's tokens with it; the text is the same.
  Result<StmtPtr> generation_tag() {
    StmtPtr stmt = statement(StmtKind::kWith);
    take();
    HB_TRY(function_block(*stmt, "endgeneration"));
    return stmt;
  }

  Result<StmtPtr> jump_tag() {
    StmtPtr stmt = statement(at_name("break") ? StmtKind::kBreak : StmtKind::kContinue);
    if (!in_loop_) return error(fmt::format("'{}' outside of a loop", current().text));
    take();
    HB_TRY(end_of_tag());
    return stmt;
  }

  bool in_loop_ = false;
};

}  // namespace

namespace {

// Bounds the work of resolve_names(), which grows with names times branches.
Status check_name_count(const std::vector<Token>& tokens) {
  std::set<std::string_view> names;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kName) names.insert(token.text);
    if (names.size() > kMaxNames) {
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("line {}: the template uses more than the limit of {} names", token.line, kMaxNames));
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<const Template>> parse_template(std::string_view source) {
  HB_ASSIGN(std::vector<Token> tokens, tokenize(source));
  HB_TRY(check_name_count(tokens));
  HB_ASSIGN(std::unique_ptr<Template> result, StatementParser(std::move(tokens)).run());
  HB_TRY(resolve_names(*result));
  return result;
}

}  // namespace hb::jinja
