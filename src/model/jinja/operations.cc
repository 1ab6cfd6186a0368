// Comparison, membership, length and iteration. Arithmetic is in arithmetic.cc, subscripts in subscript.cc.
#include "model/jinja/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/jinja/interpreter.h"
#include "model/jinja/loop.h"
#include "model/jinja/text.h"

namespace hb::jinja {

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::unexpected<Error> undefined_error(const Value& undefined) {
  return wrong(undefined.undefined_message());
}

Result<bool> less(const Value& a, const Value& b) {
  if (a.is(Kind::kUndefined)) return undefined_error(a);
  if (b.is(Kind::kUndefined)) return undefined_error(b);
  if (a.integral() && b.integral()) return a.as_int() < b.as_int();
  if (a.number() && b.number()) return a.as_double() < b.as_double();
  if (a.is(Kind::kString) && b.is(Kind::kString))
    return a.as_string() < b.as_string();  // UTF-8 keeps the order
  if (!a.sequence() || a.kind() != b.kind()) {
    return wrong(
        fmt::format("'<' not supported between instances of '{}' and '{}'", type_name(a), type_name(b)));
  }
  const auto& left = a.items();
  const auto& right = b.items();
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!equals(left[i], right[i])) return less(left[i], right[i]);
  }
  return left.size() < right.size();
}

namespace {

// a <= b is no negation of b < a where NaN takes part.
Result<bool> less_equal(const Value& a, const Value& b) {
  HB_ASSIGN(const bool is_less, less(a, b));
  return is_less || equals(a, b);
}

Result<bool> dict_view_contains(const ViewObject& view, const Value& item) {
  if (view.part == ViewObject::Part::kKeys) {
    if (!hashable(item)) return wrong(fmt::format("unhashable type: '{}'", type_name(item)));
    return view.dict.dict().find(item) != nullptr;
  }
  for (const auto& [key, value] : view.dict.dict().entries) {
    if (view.part == ViewObject::Part::kValues && equals(value, item)) return true;
    if (view.part != ViewObject::Part::kItems || !item.is(Kind::kTuple) || item.items().size() != 2) continue;
    if (equals(item.items()[0], key) && equals(item.items()[1], value)) return true;
  }
  return false;
}

Result<bool> iteration_contains(Interpreter& in, const Value& item, const Value& container) {
  auto cursor = Cursor::over(in, container);
  if (!cursor) return wrong(fmt::format("argument of type '{}' is not iterable", type_name(container)));
  while (true) {
    HB_ASSIGN(const auto next, cursor->next());
    if (!next) return false;
    if (equals(*next, item)) return true;
  }
}

}  // namespace

Result<bool> contains(Interpreter& in, const Value& item, const Value& container) {
  switch (container.kind()) {
    case Kind::kString:
      if (!item.is(Kind::kString)) {
        return wrong(fmt::format("'in <string>' requires string as left operand, not {}", type_name(item)));
      }
      return container.as_string().find(item.as_string()) != std::string::npos;
    case Kind::kDict:
      if (!hashable(item)) return wrong(fmt::format("unhashable type: '{}'", type_name(item)));
      return container.dict().find(item) != nullptr;
    case Kind::kView:
      return dict_view_contains(container.view(), item);
    default:
      return iteration_contains(in, item, container);
  }
}

Result<bool> compare(Interpreter& in, Op op, const Value& a, const Value& b) {
  switch (op) {
    case Op::kEq:
      return equals(a, b);
    case Op::kNe:
      return !equals(a, b);
    case Op::kLt:
      return less(a, b);
    case Op::kLe:
      return less_equal(a, b);
    case Op::kGt:
      return less(b, a);
    case Op::kGe:
      return less_equal(b, a);
    case Op::kIn:
      return contains(in, a, b);
    default:
      break;
  }
  HB_ASSIGN(const bool inside, contains(in, a, b));
  return !inside;
}

Result<int64_t> length(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return static_cast<int64_t>(count_code_points(value.as_string()));
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<int64_t>(value.items().size());
    case Kind::kDict:
      return static_cast<int64_t>(value.dict().entries.size());
    case Kind::kView:
      return static_cast<int64_t>(value.view().dict.dict().entries.size());
    case Kind::kRange:
      return value.range().size();
    case Kind::kLoop:
      return value.raw<LoopState>().length();
    default:
      return wrong(fmt::format("object of type '{}' has no len()", type_name(value)));
  }
}

Result<Cursor> Cursor::over(Interpreter& in, const Value& iterable) {
  switch (iterable.kind()) {
    case Kind::kUndefined:
    case Kind::kString:
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kView:
    case Kind::kRange:
    case Kind::kIterator:
      return Cursor(in, iterable);
    default:
      return wrong(fmt::format("'{}' object is not iterable", type_name(iterable)));
  }
}

namespace {

Result<std::optional<Value>> view_element(Interpreter& in, const ViewObject& view, size_t at) {
  const auto& [key, value] = view.dict.dict().entries[at];
  if (view.part == ViewObject::Part::kKeys) return key;
  if (view.part == ViewObject::Part::kValues) return value;
  HB_ASSIGN(Value pair, in.list({key, value}, Kind::kTuple));
  return pair;
}

}  // namespace

Result<std::optional<Value>> Cursor::next() {
  HB_TRY(in_->budget().step());
  if (iterable_.is(Kind::kIterator)) return iterable_.iterator().next();
  if (iterable_.is(Kind::kString)) {
    const std::string& s = iterable_.as_string();
    if (at_ >= s.size()) return std::nullopt;
    char32_t c = 0;
    const size_t begin = std::exchange(at_, at_ + decode_one(s, at_, c));
    return Value::string(s.substr(begin, at_ - begin), iterable_.markup());
  }
  HB_ASSIGN(const int64_t size, length(iterable_));
  if (at_ >= static_cast<size_t>(size)) return std::nullopt;
  const size_t at = at_++;
  switch (iterable_.kind()) {
    case Kind::kDict:
      return iterable_.dict().entries[at].first;
    case Kind::kView:
      return view_element(*in_, iterable_.view(), at);
    case Kind::kRange:
      return Value::integer(iterable_.range().at(static_cast<int64_t>(at)));
    default:
      return iterable_.items()[at];
  }
}

Result<std::vector<Value>> collect(Interpreter& in, const Value& iterable) {
  if (iterable.sequence()) return iterable.items();
  HB_ASSIGN(Cursor cursor, Cursor::over(in, iterable));
  std::vector<Value> values;
  while (true) {
    HB_ASSIGN(auto next, cursor.next());
    if (!next) return values;
    HB_TRY(in.budget().allocate(sizeof(Value)));
    values.push_back(std::move(*next));
  }
}

}  // namespace hb::jinja
