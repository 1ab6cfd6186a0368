// map, select, reject and their attribute forms: lazy, as Jinja's generators are.
#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/item_path.h"
#include "model/jinja/operations.h"

namespace hb::jinja {
namespace {

using Next = std::function<Result<std::optional<Value>>()>;
using Transform = std::function<Result<Value>(const Value&)>;

Result<Transform> attribute_transform(Interpreter& in, const Args& args) {
  Value attribute;
  Value fallback;
  for (const auto& [name, value] : args.named) {
    if (name != "attribute" && name != "default")
      return wrong(fmt::format("Unexpected keyword argument '{}'", name));
    (name == "attribute" ? attribute : fallback) = value;
  }
  HB_ASSIGN(const ItemPath path, ItemPath::parse(attribute));
  return [&in, path, fallback](const Value& item) { return path.get(in, item, fallback); };
}

bool has_named(const Args& args, std::string_view name) {
  for (const auto& [key, value] : args.named) {
    if (key == name) return true;
  }
  return false;
}

Args without_first(const Args& args, size_t count) {
  Args rest;
  rest.positional.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(count), args.positional.end());
  rest.named = args.named;
  return rest;
}

Result<Transform> map_transform(Interpreter& in, const Args& args) {
  if (args.positional.empty() && has_named(args, "attribute")) return attribute_transform(in, args);
  if (args.positional.empty()) return wrong("map requires a filter argument");
  if (!args.at(0).is(Kind::kString)) return wrong("map needs the name of a filter");
  return [&in, name = args.at(0).as_string(), rest = without_first(args, 1)](const Value& item) {
    return in.filter(name, item, rest);
  };
}

// A generator whose arguments are looked at when it is first asked, and never for an empty source.
template <class Start>
Result<Value> lazily(Interpreter& in, const Value& value, const Args& args, Start start) {
  auto next = std::make_shared<Next>();
  return in.iterator(std::max(value.depth(), args.depth()),
                     [&in, value, next, start]() -> Result<std::optional<Value>> {
                       if (!truthy(value)) return std::nullopt;
                       if (!*next) {
                         HB_ASSIGN(const Cursor cursor, Cursor::over(in, value));
                         HB_ASSIGN(*next, start(cursor));
                       }
                       return (*next)();
                     });
}

Result<Value> map_filter(Interpreter& in, const Value& value, const Args& args) {
  return lazily(in, value, args, [&in, args](const Cursor& source) -> Result<Next> {
    HB_ASSIGN(const Transform transform, map_transform(in, args));
    return [source = Cursor(source), transform]() mutable -> Result<std::optional<Value>> {
      HB_ASSIGN(const auto item, source.next());
      if (!item) return std::nullopt;
      HB_ASSIGN(Value mapped, transform(*item));
      return mapped;
    };
  });
}

using Predicate = std::function<Result<bool>(const Value&)>;

// The test named by the first argument behind `skip`, or plain truth.
Result<Predicate> predicate(Interpreter& in, const Args& args, size_t skip) {
  if (args.positional.size() <= skip) return [](const Value& item) -> Result<bool> { return truthy(item); };
  if (!args.at(skip).is(Kind::kString)) return wrong("the name of a test must be a string");
  return [&in, name = args.at(skip).as_string(), rest = without_first(args, skip + 1)](const Value& item) {
    return in.test(name, item, rest);
  };
}

Result<Value> choose(Interpreter& in, const Value& value, const Args& args, bool by_attribute, bool keep) {
  return lazily(in, value, args, [&in, args, by_attribute, keep](const Cursor& source) -> Result<Next> {
    if (by_attribute && args.positional.empty()) return wrong("Missing parameter for attribute name");
    HB_ASSIGN(const ItemPath path, ItemPath::parse(by_attribute ? args.at(0) : Value::none()));
    HB_ASSIGN(const Predicate passes, predicate(in, args, by_attribute ? 1 : 0));
    return [&in, source = Cursor(source), path, passes, keep]() mutable -> Result<std::optional<Value>> {
      while (true) {
        HB_ASSIGN(auto item, source.next());
        if (!item) return std::nullopt;
        HB_ASSIGN(const Value tested, path.get(in, *item));
        HB_ASSIGN(const bool passed, passes(tested));
        if (passed == keep) return item;
      }
    };
  });
}

constexpr Builtin kFilters[] = {
    {"map", "*", 0, map_filter},
    {"select", "*", 0,
     [](Interpreter& in, const Value& v, const Args& a) { return choose(in, v, a, false, true); }},
    {"reject", "*", 0,
     [](Interpreter& in, const Value& v, const Args& a) { return choose(in, v, a, false, false); }},
    {"selectattr", "*", 0,
     [](Interpreter& in, const Value& v, const Args& a) { return choose(in, v, a, true, true); }},
    {"rejectattr", "*", 0,
     [](Interpreter& in, const Value& v, const Args& a) { return choose(in, v, a, true, false); }},
};

}  // namespace

std::span<const Builtin> selection_filters() { return kFilters; }

}  // namespace hb::jinja
