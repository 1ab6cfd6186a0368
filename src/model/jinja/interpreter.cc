// Life cycle, new values, attributes and calls. Expressions are in evaluate.cc, statements in run.cc, macros
// in macro.cc.
#include "model/jinja/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/loop.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"

namespace hb::jinja {

Interpreter::Interpreter(const Template& parsed, const DictObject& input, const Limits& limits,
                         const std::tm& local_time)
    : parsed_(parsed), input_(input), local_time_(local_time), budget_(limits) {}

Interpreter::~Interpreter() = default;

Result<std::string> Interpreter::run() {
  auto variables = make_activation(parsed_.function, nullptr);
  if (!variables) return std::unexpected(variables.error());
  enter_frame(parsed_.frame, **variables);
  std::string out;
  const auto flow = run_body(parsed_.body, {**variables, out});
  if (!flow) return std::unexpected(flow.error().within(fmt::format("line {}", error_line_)));
  return out;
}

Result<Value> Interpreter::text(std::string s, bool markup) {
  HB_TRY(budget_.allocate(s.size() + sizeof(StringObject)));
  return Value::string(std::move(s), markup);
}

namespace {

Status check_depth(uint32_t depth) {
  if (depth <= kMaxValueDepth) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("a value nests deeper than the limit of {}", kMaxValueDepth));
}

}  // namespace

Result<Value> Interpreter::list(std::vector<Value> items, Kind kind) {
  HB_TRY(budget_.allocate(items.size() * sizeof(Value) + sizeof(ListObject)));
  auto object = std::make_shared<ListObject>();
  for (const Value& item : items) object->depth = std::max(object->depth, item.depth() + 1);
  HB_TRY(check_depth(object->depth));
  object->items = std::move(items);
  return Value::of(kind, std::move(object));
}

Result<Value> Interpreter::dict(DictObject entries) {
  constexpr size_t kEntryBytes = 2 * sizeof(Value) + 64;  // and its place in the index
  HB_TRY(budget_.allocate(entries.entries.size() * kEntryBytes + sizeof(DictObject)));
  auto object = std::make_shared<DictObject>(std::move(entries));
  for (const auto& [key, value] : object->entries) {
    object->depth = std::max({object->depth, key.depth() + 1, value.depth() + 1});
  }
  HB_TRY(check_depth(object->depth));
  return Value::of(Kind::kDict, std::move(object));
}

Result<Value> Interpreter::iterator(uint32_t source_depth,
                                    std::function<Result<std::optional<Value>>()> next) {
  HB_TRY(budget_.allocate(sizeof(IteratorObject)));
  HB_TRY(check_depth(source_depth + 1));
  auto object = std::make_shared<IteratorObject>();
  object->depth = source_depth + 1;
  object->next = std::move(next);
  return Value::of(Kind::kIterator, std::move(object));
}

Result<Value> Interpreter::make_namespace(DictObject attributes) {
  HB_TRY(budget_.allocate(sizeof(Namespace)));
  namespaces_.push_back(std::make_unique<Namespace>(std::move(attributes)));
  return Value::borrowed(Kind::kNamespace, namespaces_.back().get());
}

Result<Value> Interpreter::make_cycler(std::vector<Value> items) {
  HB_TRY(budget_.allocate(sizeof(Cycler) + items.size() * sizeof(Value)));
  cyclers_.push_back(std::make_unique<Cycler>(std::move(items)));
  return Value::borrowed(Kind::kCycler, cyclers_.back().get());
}

Result<Value> Interpreter::make_joiner(std::string separator) {
  HB_TRY(budget_.allocate(sizeof(Joiner) + separator.size()));
  joiners_.push_back(std::make_unique<Joiner>(std::move(separator)));
  return Value::borrowed(Kind::kJoiner, joiners_.back().get());
}

Result<Activation*> Interpreter::make_activation(const Function& function, Activation* parent) {
  HB_TRY(budget_.allocate(sizeof(Activation) + function.slot_count * sizeof(Value)));
  activations_.push_back(std::make_unique<Activation>());
  activations_.back()->slots.resize(function.slot_count);
  activations_.back()->parent = parent;
  return activations_.back().get();
}

Result<Value> Interpreter::filter(std::string_view name, const Value& value, const Args& args) {
  const Builtin* builtin = find_filter(name);
  if (builtin == nullptr) return wrong(fmt::format("there is no filter '{}'", name));
  return call_builtin(*this, *builtin, value, args);
}

Result<bool> Interpreter::test(std::string_view name, const Value& value, const Args& args) {
  const Builtin* builtin = find_test(name);
  if (builtin == nullptr) return wrong(fmt::format("there is no test '{}'", name));
  HB_ASSIGN(const Value result, call_builtin(*this, *builtin, value, args));
  return truthy(result);
}

Result<Value> Interpreter::call(const Value& callee, Args args) {
  HB_TRY(budget_.step());
  switch (callee.kind()) {
    case Kind::kMacro:
      return call_macro(callee.raw<Macro>(), std::move(args));
    case Kind::kFunction: {
      const FunctionObject& function = callee.function();
      return call_builtin(*this, *function.builtin, function.self, args);
    }
    case Kind::kJoiner: {
      auto& joiner = callee.raw<Joiner>();
      return text(std::exchange(joiner.used, true) ? joiner.separator : "");
    }
    case Kind::kUndefined:
      return undefined_error(callee);
    default:
      return wrong(fmt::format("'{}' object is not callable", type_name(callee)));
  }
}

namespace {

// What getattr() finds, apart from methods.
Result<std::optional<Value>> own_attribute(const Value& value, const std::string& name) {
  if (value.is(Kind::kLoop)) {
    HB_ASSIGN(auto found, loop_attribute(value.raw<LoopState>(), name));
    if (found) return found;
  }
  if (value.is(Kind::kNamespace)) {
    const Value* found = value.raw<Namespace>().attributes.find(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  if (value.is(Kind::kCycler) && name == "current") {
    const auto& cycler = value.raw<Cycler>();
    return cycler.items[cycler.at];
  }
  if (value.is(Kind::kMacro) && name == "name") return Value::string(value.raw<Macro>().name);
  const Builtin* method = find_method(value, name);
  if (method == nullptr) return std::nullopt;
  auto object = std::make_shared<FunctionObject>();
  object->builtin = method;
  object->self = value;
  object->depth = value.depth() + 1;
  return Value::of(Kind::kFunction, std::move(object));
}

}  // namespace

Result<Value> Interpreter::attribute(const Value& value, const std::string& name) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  HB_ASSIGN(auto found, own_attribute(value, name));
  if (found) return std::move(*found);
  if (value.is(Kind::kDict)) {
    if (const Value* entry = value.dict().find(name)) return *entry;
  }
  return Value::undefined(fmt::format("'{} object' has no attribute '{}'", type_name(value), name));
}

Result<Value> Interpreter::item(const Value& value, const Value& key) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  std::optional<Value> found = subscript(value, key);
  if (found) return std::move(*found);
  if (!key.is(Kind::kString)) {
    HB_ASSIGN(const std::string shown, to_repr(*this, key));
    return Value::undefined(fmt::format("{} object has no element {}", type_name(value), shown));
  }
  HB_ASSIGN(found, own_attribute(value, key.as_string()));
  if (found) return std::move(*found);
  return Value::undefined(
      fmt::format("'{} object' has no attribute '{}'", type_name(value), key.as_string()));
}

}  // namespace hb::jinja
