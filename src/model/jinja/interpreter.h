// Runs a parsed template once. One object for one rendering; nothing in it outlives that.
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/jinja/ast.h"
#include "model/jinja/builtins.h"
#include "model/jinja/limits.h"
#include "model/jinja/value.h"

namespace hb::jinja {

// The variables of one running function; macros keep those of the functions around them.
struct Activation {
  std::vector<Value> slots;
  Activation* parent = nullptr;

  Value& at(Slot slot) {
    Activation* place = this;
    for (uint32_t hop = 0; hop < slot.hops; ++hop) place = place->parent;
    return place->slots[slot.index];
  }
};

struct Macro {
  const Stmt* definition = nullptr;
  Activation* closure = nullptr;
  std::string name;  // empty: the caller of a call block
};

struct Namespace {
  DictObject attributes;
};

struct Cycler {
  std::vector<Value> items;
  size_t at = 0;
};

struct Joiner {
  std::string separator;
  bool used = false;
};

class Interpreter {
 public:
  // BORROWS everything, as long as itself. `input` holds the variables that the template is given.
  Interpreter(const Template& parsed, const DictObject& input, const Limits& limits,
              const std::tm& local_time);
  ~Interpreter();

  // The text. ERRORS carry the line of the template: kInvalidArgument (what Python would raise), kUnsupported
  // (limits).
  Result<std::string> run();

  Budget& budget() { return budget_; }
  const std::tm& local_time() const { return local_time_; }

  // New values, within the limits.
  Result<Value> text(std::string s, bool markup = false);
  Result<Value> list(std::vector<Value> items, Kind kind = Kind::kList);
  Result<Value> dict(DictObject entries);
  Result<Value> iterator(uint32_t source_depth, std::function<Result<std::optional<Value>>()> next);

  // Objects with a state of their own, which live until the end of the rendering.
  Result<Value> make_namespace(DictObject attributes);
  Result<Value> make_cycler(std::vector<Value> items);
  Result<Value> make_joiner(std::string separator);

  Result<Value> call(const Value& callee, Args args);
  Result<Value> filter(std::string_view name, const Value& value, const Args& args);
  Result<bool> test(std::string_view name, const Value& value, const Args& args);

  // value.name and value[key], by the rules of Jinja's sandbox.
  Result<Value> attribute(const Value& value, const std::string& name);
  Result<Value> item(const Value& value, const Value& key);

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };
  struct Place {
    Activation& variables;
    std::string& out;
  };

  Result<Value> evaluate(const Expr& expr, Activation& variables);
  Result<Value> evaluate_kind(const Expr& expr, Activation& variables);
  Result<std::vector<Value>> evaluate_all(const std::vector<ExprPtr>& exprs, Activation& variables);
  Result<Value> dict_literal(const Expr& expr, Activation& variables);
  Result<Value> slice_of(const Expr& expr, Activation& variables);
  Result<Value> concatenation(const Expr& expr, Activation& variables);
  Result<Value> comparison(const Expr& expr, Activation& variables);
  Result<Value> conditional(const Expr& expr, Activation& variables);
  Result<Value> call_expression(const Expr& expr, Activation& variables, const Value& caller);
  Result<Value> filter_or_test(const Expr& expr, const Value& subject, Activation& variables);
  Result<Value> block_filter(const Expr& expr, Value text, Activation& variables);
  Result<Args> arguments(const CallArgs& args, Activation& variables);
  Status named_arguments(Args& out, const Value& mapping);
  Value read(const Expr& name, Activation& variables);

  Result<Flow> run_body(const Body& body, Place place);
  Result<Flow> run_statement(const Stmt& stmt, Place place);
  Result<Flow> run_kind(const Stmt& stmt, Place place);
  Result<Flow> run_if(const Stmt& stmt, Place place);
  Result<Flow> run_for(const Stmt& stmt, Place place);
  Status run_turns(const Stmt& stmt, Place place, LoopState& loop);
  Result<std::unique_ptr<LoopState>> make_loop(const Stmt& stmt, Activation& variables);
  Result<Flow> run_set_block(const Stmt& stmt, Place place);
  Result<Flow> run_filter(const Stmt& stmt, Place place);
  Result<Flow> run_with(const Stmt& stmt, Place place);
  Status run_call(const Stmt& stmt, Place place);
  Status print(const Expr& expr, Place place);
  Status write(std::string_view text, std::string& out);
  Status assign(const Expr& target, Value value, Activation& variables);
  Value input_or_global(const std::string& name) const;
  void enter_frame(const Frame& frame, Activation& variables);
  Result<Value> make_macro(const Stmt& stmt, Activation& variables, std::string name);
  Result<Activation*> make_activation(const Function& function, Activation* parent);

  Result<Value> call_macro(const Macro& macro, Args args);
  Status bind_macro(const Macro& macro, Args args, Activation& variables);
  Status bind_specials(const Macro& macro, Args& args, Activation& variables);
  Status default_parameters(const Stmt& stmt, Activation& variables);

  const Template& parsed_;
  const DictObject& input_;
  const std::tm& local_time_;
  Budget budget_;
  uint32_t error_line_ = 0;  // of the innermost node that failed
  std::vector<std::unique_ptr<Activation>> activations_;
  std::vector<std::unique_ptr<Macro>> macros_;
  std::vector<std::unique_ptr<Namespace>> namespaces_;
  std::vector<std::unique_ptr<LoopState>> loops_;
  std::vector<std::unique_ptr<Cycler>> cyclers_;
  std::vector<std::unique_ptr<Joiner>> joiners_;
};

}  // namespace hb::jinja
