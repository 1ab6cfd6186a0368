// value[index] and value[start:stop:step].
#include <fmt/format.h>

#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

// The element that a Python index means; nothing if it is outside.
std::optional<size_t> element(int64_t index, size_t size) {
  const auto count = static_cast<int64_t>(size);
  if (index < -count || index >= count) return std::nullopt;
  return static_cast<size_t>(index < 0 ? index + count : index);
}

std::optional<Value> character(const Value& value, int64_t index) {
  const std::string& s = value.as_string();
  if (is_ascii(s)) {
    const auto at = element(index, s.size());
    return at ? std::optional(Value::string(s.substr(*at, 1), value.markup())) : std::nullopt;
  }
  const std::u32string points = to_code_points(s);
  const auto at = element(index, points.size());
  return at ? std::optional(Value::string(to_utf8(points.substr(*at, 1)), value.markup())) : std::nullopt;
}

struct Walk {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

Result<int64_t> slice_index(const Value& value) {
  if (value.is(Kind::kUndefined) || !value.integral()) {
    return wrong("slice indices must be integers or None");
  }
  return value.as_int();
}

int64_t clamp(int64_t index, int64_t size, bool backwards) {
  const int64_t low = backwards ? -1 : 0;
  const int64_t high = backwards ? size - 1 : size;
  if (index < 0) index = index < -size ? low : index + size;
  return std::min(std::max(index, low), high);
}

// Which elements of `size` a slice means.
Result<Walk> walk_of(const SliceBounds& bounds, int64_t size) {
  Walk walk;
  if (!bounds.step.is(Kind::kNone)) {
    HB_ASSIGN(walk.step, slice_index(bounds.step));
    if (walk.step == 0) return wrong("slice step cannot be zero");
    walk.step = std::max(walk.step, -INT64_MAX);
  }
  const bool backwards = walk.step < 0;
  walk.start = backwards ? size - 1 : 0;
  int64_t stop = backwards ? -1 : size;
  if (!bounds.start.is(Kind::kNone)) {
    HB_ASSIGN(const int64_t start, slice_index(bounds.start));
    walk.start = clamp(start, size, backwards);
  }
  if (!bounds.stop.is(Kind::kNone)) {
    HB_ASSIGN(const int64_t given, slice_index(bounds.stop));
    stop = clamp(given, size, backwards);
  }
  const int64_t distance = backwards ? walk.start - stop : stop - walk.start;
  if (distance > 0) walk.count = (distance - 1) / (backwards ? -walk.step : walk.step) + 1;
  return walk;
}

// Calls `take(index)` for each element of the walk, without overflow behind the last.
template <class Take>
void for_each_index(const Walk& walk, Take take) {
  for (int64_t i = 0; i < walk.count; ++i) take(static_cast<size_t>(walk.start + i * walk.step));
}

Result<Value> slice_string(Interpreter& in, const Value& value, const SliceBounds& bounds) {
  const std::u32string points = to_code_points(value.as_string());
  HB_ASSIGN(const Walk walk, walk_of(bounds, static_cast<int64_t>(points.size())));
  std::string out;
  for_each_index(walk, [&](size_t at) { append_utf8(out, points[at]); });
  return in.text(std::move(out), value.markup());
}

Result<Value> slice_range(const RangeObject& range, const SliceBounds& bounds) {
  HB_ASSIGN(const Walk walk, walk_of(bounds, range.size()));
  auto object = std::make_shared<RangeObject>();
  object->start = range.at(walk.start);
  object->step = walk.count > 1 ? range.step * walk.step : range.step;
  object->stop = object->start + object->step * walk.count;
  return Value::of(Kind::kRange, std::move(object));
}

}  // namespace

std::optional<Value> subscript(const Value& value, const Value& index) {
  if (value.is(Kind::kDict)) {
    const Value* found = value.dict().find(index);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  if (!index.integral()) return std::nullopt;
  if (value.is(Kind::kString)) return character(value, index.as_int());
  if (value.sequence()) {
    const auto at = element(index.as_int(), value.items().size());
    return at ? std::optional(value.items()[*at]) : std::nullopt;
  }
  if (!value.is(Kind::kRange)) return std::nullopt;
  const auto at = element(index.as_int(), static_cast<size_t>(value.range().size()));
  return at ? std::optional(Value::integer(value.range().at(static_cast<int64_t>(*at)))) : std::nullopt;
}

Result<Value> slice(Interpreter& in, const Value& value, const SliceBounds& bounds) {
  if (value.is(Kind::kUndefined)) return undefined_error(value);
  if (value.is(Kind::kString)) return slice_string(in, value, bounds);
  if (value.is(Kind::kRange)) return slice_range(value.range(), bounds);
  if (!value.sequence()) return wrong(fmt::format("'{}' object is not subscriptable", type_name(value)));
  const auto& items = value.items();
  HB_ASSIGN(const Walk walk, walk_of(bounds, static_cast<int64_t>(items.size())));
  std::vector<Value> out;
  for_each_index(walk, [&](size_t at) { out.push_back(items[at]); });
  return in.list(std::move(out), value.kind());
}

}  // namespace hb::jinja
