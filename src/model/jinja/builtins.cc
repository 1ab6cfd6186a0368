// Binding of arguments, the lookup in the tables, the globals and the methods of everything but strings.
#include "model/jinja/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "model/jinja/clock.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/limits.h"
#include "model/jinja/loop.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"

namespace hb::jinja {

uint32_t Args::depth() const {
  uint32_t deepest = 0;
  for (const Value& value : positional) deepest = std::max(deepest, value.depth());
  for (const auto& [name, value] : named) deepest = std::max(deepest, value.depth());
  return deepest;
}

namespace {

std::vector<std::string_view> param_names(std::string_view params) {
  std::vector<std::string_view> names;
  while (!params.empty()) {
    const size_t end = std::min(params.find(','), params.size());
    names.push_back(params.substr(0, end));
    params.remove_prefix(std::min(end + 1, params.size()));
  }
  return names;
}

Result<Args> bind(const Builtin& builtin, const Args& args) {
  const auto names = param_names(builtin.params);
  if (args.positional.size() > names.size()) {
    return wrong(fmt::format("{}() takes at most {} arguments, {} given", builtin.name, names.size(),
                             args.positional.size()));
  }
  Args bound;
  bound.positional = args.positional;
  bound.positional.resize(names.size());
  for (const auto& [name, value] : args.named) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return wrong(fmt::format("{}() got an unexpected keyword argument '{}'", builtin.name, name));
    Value& place = bound.positional[static_cast<size_t>(found - names.begin())];
    if (!place.missing())
      return wrong(fmt::format("{}() got multiple values for argument '{}'", builtin.name, name));
    place = value;
  }
  for (size_t i = 0; i < builtin.required; ++i) {
    if (bound.positional[i].missing())
      return wrong(fmt::format("{}() misses the argument '{}'", builtin.name, names[i]));
  }
  return bound;
}

}  // namespace

Result<Value> call_builtin(Interpreter& in, const Builtin& builtin, const Value& self, const Args& args) {
  HB_TRY(in.budget().step());
  if (builtin.params == "*") return builtin.function(in, self, args);
  HB_ASSIGN(const Args bound, bind(builtin, args));
  return builtin.function(in, self, bound);
}

namespace {

Result<Value> raise_exception(Interpreter& in, const Value&, const Args& args) {
  HB_ASSIGN(const std::string message, to_str(in, args.at(0)));
  return wrong("the template refuses: " + message);
}

Result<Value> strftime_now(Interpreter& in, const Value&, const Args& args) {
  if (!args.at(0).is(Kind::kString)) return wrong("strftime_now() needs a format string");
  HB_ASSIGN(std::string text, format_time(args.at(0).as_string(), in.local_time()));
  return in.text(std::move(text));
}

Result<Value> make_range(Interpreter&, const Value&, const Args& args) {
  auto range = std::make_shared<RangeObject>();
  int64_t numbers[3] = {0, 0, 1};
  for (size_t i = 0; i < 3 && !args.at(i).missing(); ++i) {
    if (!args.at(i).integral())
      return wrong(fmt::format("range() needs integers, not '{}'", type_name(args.at(i))));
    numbers[i] = args.at(i).as_int();
    if (numbers[i] > (int64_t{1} << 60) || numbers[i] < -(int64_t{1} << 60)) return wrong("Range too big");
  }
  if (args.at(1).missing()) std::swap(numbers[0], numbers[1]);
  if (numbers[2] == 0) return wrong("range() arg 3 must not be zero");
  range->start = numbers[0];
  range->stop = numbers[1];
  range->step = numbers[2];
  if (range->size() > kMaxRange)
    return fail(ErrorCode::kUnsupported, fmt::format("range() is longer than the limit of {}", kMaxRange));
  return Value::of(Kind::kRange, std::move(range));
}

// The pairs of dict(mapping or pairs, **named).
Result<DictObject> dict_arguments(Interpreter& in, const Args& args) {
  DictObject out;
  if (args.positional.size() > 1) return wrong("dict expected at most 1 argument");
  if (!args.positional.empty() && args.at(0).is(Kind::kDict)) {
    out = args.at(0).dict();
  } else if (!args.positional.empty()) {
    HB_ASSIGN(const auto pairs, collect(in, args.at(0)));
    for (const Value& pair : pairs) {
      HB_ASSIGN(const auto parts, collect(in, pair));
      if (parts.size() != 2) return wrong("a dict needs pairs");
      if (!hashable(parts[0])) return wrong(fmt::format("unhashable type: '{}'", type_name(parts[0])));
      out.set(parts[0], parts[1]);
    }
  }
  out.depth = 1;
  for (const auto& [name, value] : args.named) out.set(Value::string(name), value);
  return out;
}

Result<Value> make_dict(Interpreter& in, const Value&, const Args& args) {
  HB_ASSIGN(DictObject entries, dict_arguments(in, args));
  return in.dict(std::move(entries));
}

Result<Value> make_namespace(Interpreter& in, const Value&, const Args& args) {
  HB_ASSIGN(DictObject entries, dict_arguments(in, args));
  return in.make_namespace(std::move(entries));
}

Result<Value> make_cycler(Interpreter& in, const Value&, const Args& args) {
  if (!args.named.empty()) return wrong("cycler() takes no keyword arguments");
  if (args.positional.empty()) return wrong("at least one item has to be provided");
  return in.make_cycler(args.positional);
}

Result<Value> make_joiner(Interpreter& in, const Value&, const Args& args) {
  HB_ASSIGN(std::string separator, to_str(in, args.value_or(0, Value::string(", "))));
  return in.make_joiner(std::move(separator));
}

constexpr Builtin kGlobals[] = {
    {"raise_exception", "message", 1, raise_exception},
    {"strftime_now", "format", 1, strftime_now},
    {"range", "/start,/stop,/step", 1, make_range},
    {"dict", "*", 0, make_dict},
    {"namespace", "*", 0, make_namespace},
    {"cycler", "*", 0, make_cycler},
    {"joiner", "sep", 0, make_joiner},
};

Result<Value> view_of(const Value& dict, ViewObject::Part part) {
  auto view = std::make_shared<ViewObject>();
  view->part = part;
  view->dict = dict;
  view->depth = dict.depth() + 1;
  return Value::of(Kind::kView, std::move(view));
}

Result<Value> dict_get(Interpreter&, const Value& self, const Args& args) {
  if (!hashable(args.at(0))) return wrong(fmt::format("unhashable type: '{}'", type_name(args.at(0))));
  const Value* found = self.dict().find(args.at(0));
  return found == nullptr ? args.value_or(1, Value::none()) : *found;
}

constexpr Builtin kDictMethods[] = {
    {"get", "/key,/default", 1, dict_get},
    {"items", "", 0,
     [](Interpreter&, const Value& self, const Args&) { return view_of(self, ViewObject::Part::kItems); }},
    {"keys", "", 0,
     [](Interpreter&, const Value& self, const Args&) { return view_of(self, ViewObject::Part::kKeys); }},
    {"values", "", 0,
     [](Interpreter&, const Value& self, const Args&) { return view_of(self, ViewObject::Part::kValues); }},
    {"copy", "", 0, [](Interpreter&, const Value& self, const Args&) -> Result<Value> { return self; }},
};

Result<Value> sequence_count(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(const auto items, collect(in, self));
  int64_t count = 0;
  for (const Value& item : items) count += equals(item, args.at(0)) ? 1 : 0;
  return Value::integer(count);
}

Result<Value> sequence_index(Interpreter& in, const Value& self, const Args& args) {
  HB_ASSIGN(const auto items, collect(in, self));
  for (size_t i = 0; i < items.size(); ++i) {
    if (equals(items[i], args.at(0))) return Value::integer(static_cast<int64_t>(i));
  }
  return wrong("the value is not in the list");
}

constexpr Builtin kSequenceMethods[] = {
    {"count", "/value", 1, sequence_count},
    {"index", "/value", 1, sequence_index},
};

constexpr Builtin kListMethods[] = {
    {"copy", "", 0, [](Interpreter&, const Value& self, const Args&) -> Result<Value> { return self; }},
};

Result<Value> loop_cycle(Interpreter&, const Value& self, const Args& args) {
  if (args.positional.empty()) return wrong("no items for cycling given");
  const auto index = static_cast<size_t>(self.raw<LoopState>().index0);
  return args.positional[index % args.positional.size()];
}

Result<Value> loop_changed(Interpreter&, const Value& self, const Args& args) {
  auto& loop = self.raw<LoopState>();
  const bool same =
      loop.changed_called && loop.last_changed.size() == args.positional.size() &&
      std::equal(args.positional.begin(), args.positional.end(), loop.last_changed.begin(), equals);
  loop.last_changed = args.positional;
  loop.changed_called = true;
  return Value::boolean(!same);
}

constexpr Builtin kLoopMethods[] = {
    {"cycle", "*", 0, loop_cycle},
    {"changed", "*", 0, loop_changed},
};

Result<Value> cycler_next(Interpreter&, const Value& self, const Args&) {
  auto& cycler = self.raw<Cycler>();
  const size_t at = std::exchange(cycler.at, (cycler.at + 1) % cycler.items.size());
  return cycler.items[at];
}

Result<Value> cycler_reset(Interpreter&, const Value& self, const Args&) {
  self.raw<Cycler>().at = 0;
  return Value::none();
}

constexpr Builtin kCyclerMethods[] = {
    {"next", "", 0, cycler_next},
    {"reset", "", 0, cycler_reset},
};

using Table = std::unordered_map<std::string_view, const Builtin*>;

Table make_table(std::initializer_list<std::span<const Builtin>> parts) {
  Table table;
  for (const auto part : parts) {
    for (const Builtin& row : part) table.emplace(row.name, &row);
  }
  return table;
}

const Builtin* find_in(const Table& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

const Builtin* find_in(std::span<const Builtin> rows, std::string_view name) {
  for (const Builtin& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

const Builtin* find_filter(std::string_view name) {
  static const Table table =
      make_table({sequence_filters(), selection_filters(), text_filters(), value_filters()});
  return find_in(table, name);
}

const Builtin* find_global(std::string_view name) { return find_in(kGlobals, name); }

const Builtin* find_method(const Value& self, std::string_view name) {
  static const Table strings = make_table({string_search_methods(), string_shape_methods()});
  switch (self.kind()) {
    case Kind::kString:
      return find_in(strings, name);
    case Kind::kDict:
      return find_in(kDictMethods, name);
    case Kind::kList:
      if (const Builtin* method = find_in(kListMethods, name)) return method;
      return find_in(kSequenceMethods, name);
    case Kind::kTuple:
    case Kind::kRange:
      return find_in(kSequenceMethods, name);
    case Kind::kLoop:
      return find_in(kLoopMethods, name);
    case Kind::kCycler:
      return find_in(kCyclerMethods, name);
    default:
      return nullptr;
  }
}

}  // namespace hb::jinja
