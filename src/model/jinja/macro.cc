// Macros and call blocks: how arguments become variables.
#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"

namespace hb::jinja {
namespace {

// Takes the argument of that name out of `args`; nothing if there is none.
std::optional<Value> take_named(Args& args, std::string_view name) {
  const auto found =
      std::find_if(args.named.begin(), args.named.end(), [&](const auto& arg) { return arg.first == name; });
  if (found == args.named.end()) return std::nullopt;
  Value value = std::move(found->second);
  args.named.erase(found);
  return value;
}

}  // namespace

Result<Value> Interpreter::make_macro(const Stmt& stmt, Activation& variables, std::string name) {
  HB_TRY(budget_.allocate(sizeof(Macro)));
  macros_.push_back(std::make_unique<Macro>(Macro{&stmt, &variables, std::move(name)}));
  return Value::borrowed(Kind::kMacro, macros_.back().get());
}

Result<Value> Interpreter::call_macro(const Macro& macro, Args args) {
  const Stmt& stmt = *macro.definition;
  HB_ASSIGN(Activation* const variables, make_activation(stmt.function, macro.closure));
  HB_TRY(bind_macro(macro, std::move(args), *variables));
  enter_frame(stmt.frame, *variables);
  HB_TRY(default_parameters(stmt, *variables));
  std::string out;
  HB_TRY(run_body(stmt.body, {*variables, out}));
  return text(std::move(out));
}

Status Interpreter::bind_macro(const Macro& macro, Args args, Activation& variables) {
  const Stmt& stmt = *macro.definition;
  for (size_t i = 0; i < stmt.params.size(); ++i) {
    Value& slot = variables.at(stmt.params[i]->slot);
    if (i < args.positional.size()) {
      slot = args.positional[i];
    } else if (auto named = take_named(args, stmt.params[i]->name)) {
      slot = std::move(*named);
    }
  }
  return bind_specials(macro, args, variables);
}

// `caller`, and the arguments that no parameter took.
Status Interpreter::bind_specials(const Macro& macro, Args& args, Activation& variables) {
  const Function& function = macro.definition->function;
  const size_t param_count = macro.definition->params.size();
  if (function.uses_caller) {
    variables.at(function.caller) =
        take_named(args, "caller").value_or(Value::undefined("No caller defined"));
  }
  if (function.uses_kwargs) {
    DictObject rest;
    for (auto& [name, value] : args.named) rest.set(Value::string(name), std::move(value));
    HB_ASSIGN(variables.at(function.kwargs), dict(std::move(rest)));
  } else if (!args.named.empty()) {
    return wrong(fmt::format("macro '{}' takes no keyword argument '{}'", macro.name, args.named[0].first));
  }
  if (function.uses_varargs) {
    const auto begin =
        args.positional.begin() + static_cast<std::ptrdiff_t>(std::min(param_count, args.positional.size()));
    HB_ASSIGN(variables.at(function.varargs), list({begin, args.positional.end()}, Kind::kTuple));
  } else if (args.positional.size() > param_count) {
    return wrong(fmt::format("macro '{}' takes not more than {} argument(s)", macro.name, param_count));
  }
  return {};
}

// Defaults are computed at every call, and may use the parameters before them.
Status Interpreter::default_parameters(const Stmt& stmt, Activation& variables) {
  const size_t first_default = stmt.params.size() - stmt.defaults.size();
  for (size_t i = 0; i < stmt.params.size(); ++i) {
    Value& slot = variables.at(stmt.params[i]->slot);
    if (!slot.missing()) continue;
    if (i >= first_default) {
      HB_ASSIGN(slot, evaluate(*stmt.defaults[i - first_default], variables));
    } else {
      slot = Value::undefined(fmt::format("parameter '{}' was not provided", stmt.params[i]->name));
    }
  }
  return {};
}

}  // namespace hb::jinja
