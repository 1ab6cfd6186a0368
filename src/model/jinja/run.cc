// Statements.
#include <fmt/format.h>

#include "model/jinja/interpreter.h"
#include "model/jinja/loop.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"

namespace hb::jinja {

void Interpreter::enter_frame(const Frame& frame, Activation& variables) {
  for (const Load& load : frame) {
    Value& slot = variables.slots[load.slot];
    switch (load.from) {
      case Load::From::kParameter:
        break;
      case Load::From::kUndefined:
        slot = Value();
        break;
      case Load::From::kAlias:
        slot = variables.at(load.alias);
        break;
      case Load::From::kContext:
        slot = input_or_global(load.name);
        break;
    }
  }
}

Value Interpreter::input_or_global(const std::string& name) const {
  if (const Value* value = input_.find(name)) return *value;
  const Builtin* global = find_global(name);
  if (global == nullptr) return Value();
  auto object = std::make_shared<FunctionObject>();
  object->builtin = global;
  return Value::of(Kind::kFunction, std::move(object));
}

Status Interpreter::write(std::string_view text, std::string& out) {
  HB_TRY(budget_.output(out.size() + text.size()));
  out += text;
  return {};
}

Result<Interpreter::Flow> Interpreter::run_body(const Body& body, Place place) {
  for (const StmtPtr& stmt : body) {
    HB_ASSIGN(const Flow flow, run_statement(*stmt, place));
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Result<Interpreter::Flow> Interpreter::run_statement(const Stmt& stmt, Place place) {
  Status status = budget_.step();
  if (status) status = budget_.enter();
  Result<Flow> flow = status ? run_kind(stmt, place) : std::unexpected(status.error());
  budget_.leave();
  if (!flow && error_line_ == 0) error_line_ = stmt.line;
  return flow;
}

Result<Interpreter::Flow> Interpreter::run_kind(const Stmt& stmt, Place place) {
  switch (stmt.kind) {
    case StmtKind::kText:
      HB_TRY(write(stmt.text, place.out));
      break;
    case StmtKind::kPrint:
      HB_TRY(print(*stmt.expr, place));
      break;
    case StmtKind::kIf:
      return run_if(stmt, place);
    case StmtKind::kFor:
      return run_for(stmt, place);
    case StmtKind::kSet: {
      HB_ASSIGN(Value value, evaluate(*stmt.expr, place.variables));
      HB_TRY(assign(*stmt.target, std::move(value), place.variables));
      break;
    }
    case StmtKind::kSetBlock:
      return run_set_block(stmt, place);
    case StmtKind::kMacro: {
      HB_ASSIGN(place.variables.at(stmt.slot), make_macro(stmt, place.variables, stmt.text));
      break;
    }
    case StmtKind::kCall:
      HB_TRY(run_call(stmt, place));
      break;
    case StmtKind::kFilter:
      return run_filter(stmt, place);
    case StmtKind::kWith:
      return run_with(stmt, place);
    case StmtKind::kBreak:
      return Flow::kBreak;
    case StmtKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

Status Interpreter::print(const Expr& expr, Place place) {
  HB_ASSIGN(const Value value, evaluate(expr, place.variables));
  HB_ASSIGN(const std::string text, to_str(*this, value));
  return write(text, place.out);
}

Result<Interpreter::Flow> Interpreter::run_if(const Stmt& stmt, Place place) {
  HB_ASSIGN(const Value condition, evaluate(*stmt.expr, place.variables));
  if (truthy(condition)) return run_body(stmt.body, place);
  for (const StmtPtr& branch : stmt.elifs) {
    HB_ASSIGN(const Value other, evaluate(*branch->expr, place.variables));
    if (truthy(other)) return run_body(branch->body, place);
  }
  return run_body(stmt.otherwise, place);
}

Status Interpreter::assign(const Expr& target, Value value, Activation& variables) {
  if (target.kind == ExprKind::kName) {
    variables.at(target.slot) = std::move(value);
    return {};
  }
  if (target.kind == ExprKind::kNamespaceRef) {
    const Value space = read(target, variables);
    if (!space.is(Kind::kNamespace)) return wrong("cannot assign attribute on non-namespace object");
    HB_TRY(budget_.allocate(sizeof(Value) * 2));
    space.raw<Namespace>().attributes.set(Value::string(target.attribute), std::move(value));
    return {};
  }
  HB_ASSIGN(auto items, collect(*this, value));
  if (items.size() != target.children.size()) {
    return wrong(fmt::format("{} values to unpack, expected {}", items.size(), target.children.size()));
  }
  for (size_t i = 0; i < items.size(); ++i)
    HB_TRY(assign(*target.children[i], std::move(items[i]), variables));
  return {};
}

Result<std::unique_ptr<LoopState>> Interpreter::make_loop(const Stmt& stmt, Activation& variables) {
  HB_ASSIGN(const Value source, evaluate(*stmt.expr, variables));
  HB_ASSIGN(Cursor cursor, Cursor::over(*this, source));
  auto loop = std::make_unique<LoopState>();
  if (!stmt.test) {
    if (const auto size = length(source)) loop->known_length = *size;
    loop->pull = [cursor]() mutable { return cursor.next(); };
    return loop;
  }
  loop->pull = [this, cursor, &stmt, &variables]() mutable -> Result<std::optional<Value>> {
    while (true) {
      HB_ASSIGN(auto next, cursor.next());
      if (!next) return std::nullopt;
      HB_TRY(assign(*stmt.test_target, *next, variables));
      enter_frame(stmt.test_frame, variables);
      HB_ASSIGN(const Value passes, evaluate(*stmt.test, variables));
      if (truthy(passes)) return next;
    }
  };
  return loop;
}

Result<Interpreter::Flow> Interpreter::run_for(const Stmt& stmt, Place place) {
  HB_ASSIGN(auto owned, make_loop(stmt, place.variables));
  LoopState& loop = *owned;
  if (stmt.uses_loop) {  // the template may keep `loop` beyond its end
    HB_TRY(budget_.allocate(sizeof(LoopState)));
    loops_.push_back(std::move(owned));
  }
  HB_TRY(run_turns(stmt, place, loop));
  if (loop.index0 >= 0 || stmt.otherwise.empty()) return Flow::kNext;
  enter_frame(stmt.else_frame, place.variables);
  return run_body(stmt.otherwise, place);
}

Status Interpreter::run_turns(const Stmt& stmt, Place place, LoopState& loop) {
  while (true) {
    HB_TRY(budget_.step());
    HB_ASSIGN(const bool more, loop.advance());
    if (!more) return {};
    if (stmt.uses_loop) place.variables.at(stmt.slot) = Value::borrowed(Kind::kLoop, &loop);
    HB_TRY(assign(*stmt.target, loop.current, place.variables));
    enter_frame(stmt.frame, place.variables);
    HB_ASSIGN(const Flow flow, run_body(stmt.body, place));
    if (flow == Flow::kBreak) return {};
  }
}

Result<Interpreter::Flow> Interpreter::run_set_block(const Stmt& stmt, Place place) {
  std::string captured;
  enter_frame(stmt.frame, place.variables);
  HB_ASSIGN(const Flow flow, run_body(stmt.body, {place.variables, captured}));
  if (flow != Flow::kNext) return flow;
  HB_ASSIGN(Value value, text(std::move(captured)));
  if (stmt.expr) {
    HB_ASSIGN(value, block_filter(*stmt.expr, std::move(value), place.variables));
  }
  HB_TRY(assign(*stmt.target, std::move(value), place.variables));
  return Flow::kNext;
}

Result<Interpreter::Flow> Interpreter::run_filter(const Stmt& stmt, Place place) {
  std::string captured;
  enter_frame(stmt.frame, place.variables);
  HB_ASSIGN(const Flow flow, run_body(stmt.body, {place.variables, captured}));
  if (flow != Flow::kNext) return flow;
  HB_ASSIGN(Value value, text(std::move(captured)));
  HB_ASSIGN(value, block_filter(*stmt.expr, std::move(value), place.variables));
  HB_ASSIGN(const std::string filtered, to_str(*this, value));
  HB_TRY(write(filtered, place.out));
  return Flow::kNext;
}

Result<Interpreter::Flow> Interpreter::run_with(const Stmt& stmt, Place place) {
  // The values are computed outside, one after the other, as the frame's variables begin undefined.
  enter_frame(stmt.frame, place.variables);
  for (size_t i = 0; i < stmt.params.size(); ++i) {
    HB_ASSIGN(Value value, evaluate(*stmt.defaults[i], place.variables));
    HB_TRY(assign(*stmt.params[i], std::move(value), place.variables));
  }
  return run_body(stmt.body, place);
}

Status Interpreter::run_call(const Stmt& stmt, Place place) {
  HB_ASSIGN(const Value caller, make_macro(stmt, place.variables, ""));
  HB_ASSIGN(const Value value, call_expression(*stmt.expr, place.variables, caller));
  HB_ASSIGN(const std::string text, to_str(*this, value));
  return write(text, place.out);
}

}  // namespace hb::jinja
