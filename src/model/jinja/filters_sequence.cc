// Filters over lists: first, join, sort, sum and their kin.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "model/jinja/builtins.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/item_path.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

Result<Value> first(Interpreter& in, const Value& value, const Args&) {
  HB_ASSIGN(Cursor cursor, Cursor::over(in, value));
  HB_ASSIGN(auto item, cursor.next());
  return item ? std::move(*item) : Value::undefined("No first item, sequence was empty.");
}

Result<Value> last(Interpreter& in, const Value& value, const Args&) {
  if (value.is(Kind::kIterator)) return wrong("'generator' object is not reversible");
  HB_ASSIGN(const auto items, collect(in, value));
  return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Result<Value> count(Interpreter&, const Value& value, const Args&) {
  HB_ASSIGN(const int64_t size, length(value));
  return Value::integer(size);
}

Result<Value> to_list(Interpreter& in, const Value& value, const Args&) {
  HB_ASSIGN(auto items, collect(in, value));
  return in.list(std::move(items));
}

Result<Value> join(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const std::string separator, to_str(in, args.value_or(0, Value::string(""))));
  HB_ASSIGN(const ItemPath path, ItemPath::parse(args.value_or(1, Value::none())));
  HB_ASSIGN(Cursor cursor, Cursor::over(in, value));
  std::string joined;
  for (bool first_item = true;; first_item = false) {
    HB_ASSIGN(const auto item, cursor.next());
    if (!item) return in.text(std::move(joined));
    HB_ASSIGN(const Value part, path.get(in, *item));
    HB_ASSIGN(const std::string text, to_str(in, part));
    HB_TRY(in.budget().output(joined.size() + separator.size() + text.size()));
    if (!first_item) joined += separator;
    joined += text;
  }
}

Result<Value> reverse(Interpreter& in, const Value& value, const Args&) {
  if (value.is(Kind::kString)) return slice(in, value, {Value::none(), Value::none(), Value::integer(-1)});
  HB_ASSIGN(auto items, collect(in, value));
  std::reverse(items.begin(), items.end());
  const bool eager = value.is(Kind::kIterator);
  HB_ASSIGN(Value reversed, in.list(std::move(items)));
  if (eager) return reversed;
  return in.iterator(reversed.depth(), [reversed, at = size_t{0}]() mutable -> Result<std::optional<Value>> {
    if (at == reversed.items().size()) return std::nullopt;
    return reversed.items()[at++];
  });
}

// What sort, min, max and unique compare: strings in lower case unless told otherwise.
class SortKey {
 public:
  // One attribute.
  static Result<SortKey> parse(const Value& attribute, bool case_sensitive) {
    SortKey key;
    key.case_sensitive_ = case_sensitive;
    HB_TRY(key.add(attribute));
    return key;
  }

  // Several between commas; the key is then a list, even of one. (Lists of undefined values can be compared.)
  static Result<SortKey> parse_many(const Value& attributes, bool case_sensitive) {
    if (!attributes.is(Kind::kString)) {
      HB_ASSIGN(SortKey one, parse(attributes, case_sensitive));
      one.is_list_ = true;
      return one;
    }
    SortKey key;
    key.case_sensitive_ = case_sensitive;
    key.is_list_ = true;
    std::string_view rest = attributes.as_string();
    for (size_t comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
      HB_TRY(key.add(Value::string(std::string(rest.substr(0, comma)))));
      rest.remove_prefix(comma + 1);
    }
    HB_TRY(key.add(Value::string(std::string(rest))));
    return key;
  }

  Result<Value> of(Interpreter& in, const Value& item) const {
    std::vector<Value> parts;
    for (const ItemPath& path : paths_) {
      HB_ASSIGN(Value part, path.get(in, item));
      if (!case_sensitive_ && part.is(Kind::kString))
        part = Value::string(to_utf8(to_lower(to_code_points(part.as_string()))));
      parts.push_back(std::move(part));
    }
    if (!is_list_) return std::move(parts[0]);
    return in.list(std::move(parts));
  }

 private:
  Status add(const Value& attribute) {
    HB_ASSIGN(ItemPath path, ItemPath::parse(attribute));
    paths_.push_back(std::move(path));
    return {};
  }

  std::vector<ItemPath> paths_;
  bool case_sensitive_ = false;
  bool is_list_ = false;
};

using Keyed = std::pair<Value, Value>;  // key, item

Status sort_keyed(std::vector<Keyed>& keyed, bool descending) {
  std::optional<Error> problem;
  const auto is_less = [&](const Value& a, const Value& b) {
    const auto result = less(a, b);
    if (!result && !problem) problem = result.error();
    return result.value_or(false);
  };
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return descending ? is_less(b.first, a.first) : is_less(a.first, b.first);
  });
  if (problem) return std::unexpected(*problem);
  return {};
}

Result<std::vector<Keyed>> keyed_items(Interpreter& in, const Value& value, const SortKey& key) {
  HB_ASSIGN(auto items, collect(in, value));
  std::vector<Keyed> keyed;
  for (Value& item : items) {
    HB_ASSIGN(Value item_key, key.of(in, item));
    keyed.emplace_back(std::move(item_key), std::move(item));
  }
  return keyed;
}

Result<Value> items_only(Interpreter& in, std::vector<Keyed> keyed) {
  std::vector<Value> items;
  for (Keyed& entry : keyed) items.push_back(std::move(entry.second));
  return in.list(std::move(items));
}

Result<Value> sort(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const SortKey key, SortKey::parse_many(args.value_or(2, Value::none()), truthy(args.at(1))));
  HB_ASSIGN(auto keyed, keyed_items(in, value, key));
  HB_TRY(sort_keyed(keyed, truthy(args.at(0))));
  return items_only(in, std::move(keyed));
}

Result<Value> dictsort(Interpreter& in, const Value& value, const Args& args) {
  if (!value.is(Kind::kDict))
    return wrong(fmt::format("dictsort needs a mapping, not '{}'", type_name(value)));
  const Value by = args.value_or(1, Value::string("key"));
  const bool by_key = equals(by, Value::string("key"));
  if (!by_key && !equals(by, Value::string("value")))
    return wrong("dictsort can only sort by 'key' or 'value'");
  HB_ASSIGN(const SortKey key, SortKey::parse(Value::none(), truthy(args.at(0))));
  std::vector<Keyed> keyed;
  for (const auto& [name, entry] : value.dict().entries) {
    HB_ASSIGN(Value sort_key, key.of(in, by_key ? name : entry));
    HB_ASSIGN(Value pair, in.list({name, entry}, Kind::kTuple));
    keyed.emplace_back(std::move(sort_key), std::move(pair));
  }
  HB_TRY(sort_keyed(keyed, truthy(args.at(2))));
  return items_only(in, std::move(keyed));
}

Result<Value> extreme(Interpreter& in, const Value& value, const Args& args, bool want_max) {
  HB_ASSIGN(const SortKey key, SortKey::parse(args.value_or(1, Value::none()), truthy(args.at(0))));
  HB_ASSIGN(const auto keyed, keyed_items(in, value, key));
  if (keyed.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  size_t best = 0;
  for (size_t i = 1; i < keyed.size(); ++i) {
    const Value& a = want_max ? keyed[best].first : keyed[i].first;
    const Value& b = want_max ? keyed[i].first : keyed[best].first;
    HB_ASSIGN(const bool better, less(a, b));
    if (better) best = i;
  }
  return keyed[best].second;
}

Result<Value> min_filter(Interpreter& in, const Value& value, const Args& args) {
  return extreme(in, value, args, false);
}
Result<Value> max_filter(Interpreter& in, const Value& value, const Args& args) {
  return extreme(in, value, args, true);
}

Result<Value> unique(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const SortKey key, SortKey::parse(args.value_or(1, Value::none()), truthy(args.at(0))));
  HB_ASSIGN(Cursor cursor, Cursor::over(in, value));
  auto seen = std::make_shared<std::unordered_set<Value, ValueHash, ValueEqual>>();
  return in.iterator(value.depth(), [&in, key, cursor, seen]() mutable -> Result<std::optional<Value>> {
    while (true) {
      HB_ASSIGN(auto item, cursor.next());
      if (!item) return std::nullopt;
      HB_ASSIGN(const Value item_key, key.of(in, *item));
      if (!hashable(item_key)) return wrong(fmt::format("unhashable type: '{}'", type_name(item_key)));
      if (seen->insert(item_key).second) return item;
    }
  });
}

Result<Value> sum(Interpreter& in, const Value& value, const Args& args) {
  HB_ASSIGN(const ItemPath path, ItemPath::parse(args.value_or(0, Value::none())));
  Value total = args.value_or(1, Value::integer(0));
  if (total.is(Kind::kString)) return wrong("sum() can't sum strings");
  HB_ASSIGN(Cursor cursor, Cursor::over(in, value));
  while (true) {
    HB_ASSIGN(const auto item, cursor.next());
    if (!item) return total;
    HB_ASSIGN(const Value part, path.get(in, *item));
    HB_ASSIGN(total, arithmetic(in, Op::kAdd, total, part));
  }
}

// Lists of `size` items, the last filled up with a value if one is given.
Result<Value> batch(Interpreter& in, const Value& value, const Args& args) {
  if (!args.at(0).integral()) return wrong("batch needs an integer");
  HB_ASSIGN(Cursor cursor, Cursor::over(in, value));
  const auto size = static_cast<size_t>(std::max<int64_t>(args.at(0).as_int(), 0));
  return in.iterator(std::max(value.depth(), args.depth()) + 1,
                     [&in, cursor, size, fill = args.at(1)]() mutable -> Result<std::optional<Value>> {
                       std::vector<Value> line;
                       while (size == 0 || line.size() < size) {
                         HB_ASSIGN(auto item, cursor.next());
                         if (!item) break;
                         HB_TRY(in.budget().allocate(sizeof(Value)));
                         line.push_back(std::move(*item));
                       }
                       if (line.empty()) return std::nullopt;
                       while (line.size() < size && !fill.missing() && !fill.is(Kind::kNone)) {
                         HB_TRY(in.budget().allocate(sizeof(Value)));
                         line.push_back(fill);
                       }
                       HB_ASSIGN(Value list, in.list(std::move(line)));
                       return list;
                     });
}

Result<Value> items(Interpreter& in, const Value& value, const Args&) {
  return in.iterator(value.depth() + 1,
                     [&in, value, at = size_t{0}]() mutable -> Result<std::optional<Value>> {
                       if (value.is(Kind::kUndefined)) return std::nullopt;
                       if (!value.is(Kind::kDict)) return wrong("Can only get item pairs from a mapping.");
                       if (at == value.dict().entries.size()) return std::nullopt;
                       const auto& [key, entry] = value.dict().entries[at++];
                       HB_ASSIGN(Value pair, in.list({key, entry}, Kind::kTuple));
                       return pair;
                     });
}

constexpr Builtin kFilters[] = {
    {"first", "", 0, first},
    {"last", "", 0, last},
    {"length", "", 0, count},
    {"count", "", 0, count},
    {"list", "", 0, to_list},
    {"join", "d,attribute", 0, join},
    {"reverse", "", 0, reverse},
    {"sort", "reverse,case_sensitive,attribute", 0, sort},
    {"dictsort", "case_sensitive,by,reverse", 0, dictsort},
    {"min", "case_sensitive,attribute", 0, min_filter},
    {"max", "case_sensitive,attribute", 0, max_filter},
    {"unique", "case_sensitive,attribute", 0, unique},
    {"sum", "attribute,start", 0, sum},
    {"batch", "linecount,fill_with", 1, batch},
    {"items", "", 0, items},
};

}  // namespace

std::span<const Builtin> sequence_filters() { return kFilters; }

}  // namespace hb::jinja
