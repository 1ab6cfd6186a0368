#include "model/jinja/value.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace hb::jinja {

Value Value::boolean(bool b) {
  Value value(Kind::kBool);
  value.int_ = b ? 1 : 0;
  return value;
}

Value Value::integer(int64_t i) {
  Value value(Kind::kInt);
  value.int_ = i;
  return value;
}

Value Value::real(double d) {
  Value value(Kind::kFloat);
  value.double_ = d;
  return value;
}

Value Value::string(std::string s, bool markup) {
  auto object = std::make_shared<StringObject>();
  object->text = std::move(s);
  Value value = of(Kind::kString, std::move(object));
  value.markup_ = markup;
  return value;
}

Value Value::undefined(std::string message) {
  auto object = std::make_shared<UndefinedObject>();
  object->message = std::move(message);
  return of(Kind::kUndefined, std::move(object));
}

Value Value::of(Kind kind, std::shared_ptr<const Object> object) {
  Value value(kind);
  value.object_ = std::move(object);
  return value;
}

Value Value::borrowed(Kind kind, void* raw) {
  Value value(kind);
  value.raw_ = raw;
  return value;
}

const std::string& Value::as_string() const {
  HB_CHECK(is(Kind::kString));
  return static_cast<const StringObject&>(*object_).text;
}

const std::vector<Value>& Value::items() const {
  HB_CHECK(sequence());
  return static_cast<const ListObject&>(*object_).items;
}

const DictObject& Value::dict() const {
  HB_CHECK(is(Kind::kDict));
  return static_cast<const DictObject&>(*object_);
}

const ViewObject& Value::view() const {
  HB_CHECK(is(Kind::kView));
  return static_cast<const ViewObject&>(*object_);
}

const RangeObject& Value::range() const {
  HB_CHECK(is(Kind::kRange));
  return static_cast<const RangeObject&>(*object_);
}

IteratorObject& Value::iterator() const {
  HB_CHECK(is(Kind::kIterator));
  return const_cast<IteratorObject&>(static_cast<const IteratorObject&>(*object_));
}

const FunctionObject& Value::function() const {
  HB_CHECK(is(Kind::kFunction));
  return static_cast<const FunctionObject&>(*object_);
}

const std::string& Value::undefined_message() const {
  HB_CHECK(is(Kind::kUndefined));
  return static_cast<const UndefinedObject&>(*object_).message;
}

namespace {

bool numbers_equal(const Value& a, const Value& b) {
  if (a.integral() && b.integral()) return a.as_int() == b.as_int();
  return a.as_double() == b.as_double();
}

bool dicts_equal(const DictObject& a, const DictObject& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, value] : a.entries) {
    const Value* other = b.find(key);
    if (other == nullptr || !equals(value, *other)) return false;
  }
  return true;
}

bool lists_equal(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!equals(a[i], b[i])) return false;
  }
  return true;
}

bool ranges_equal(const RangeObject& a, const RangeObject& b) {
  const int64_t size = a.size();
  if (size != b.size()) return false;
  if (size == 0) return true;
  return a.start == b.start && (size == 1 || a.step == b.step);
}

}  // namespace

bool equals(const Value& a, const Value& b) {
  if (a.number() && b.number()) return numbers_equal(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kString:
      return a.as_string() == b.as_string();
    case Kind::kList:
    case Kind::kTuple:
      return a.address() == b.address() || lists_equal(a.items(), b.items());
    case Kind::kDict:
      return a.address() == b.address() || dicts_equal(a.dict(), b.dict());
    case Kind::kRange:
      return ranges_equal(a.range(), b.range());
    case Kind::kFunction:
      return a.function().builtin == b.function().builtin &&
             a.function().self.address() == b.function().self.address();
    default:
      return a.address() == b.address();
  }
}

bool hashable(const Value& value) {
  if (value.is(Kind::kList) || value.is(Kind::kDict) || value.is(Kind::kView)) return false;
  if (!value.is(Kind::kTuple)) return true;
  for (const Value& item : value.items()) {
    if (!hashable(item)) return false;
  }
  return true;
}

size_t hash_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
      return std::hash<double>()(static_cast<double>(value.as_int()));
    case Kind::kFloat:
      return std::hash<double>()(value.as_double());
    case Kind::kString:
      return std::hash<std::string>()(value.as_string());
    case Kind::kTuple: {
      size_t hash = 0x9E3779B97F4A7C15u;
      for (const Value& item : value.items()) hash = std::rotl(hash, 5) ^ (hash_of(item) * 0x100000001B3u);
      return hash;
    }
    case Kind::kRange:
      return static_cast<size_t>(value.range().size());
    case Kind::kNone:
    case Kind::kMissing:
    case Kind::kUndefined:
      return static_cast<size_t>(value.kind());
    case Kind::kFunction:
      return std::hash<const void*>()(value.function().builtin);
    default:
      return std::hash<const void*>()(value.address());
  }
}

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.as_int() != 0;
    case Kind::kFloat:
      return value.as_double() != 0;
    case Kind::kString:
      return !value.as_string().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.items().empty();
    case Kind::kDict:
      return !value.dict().entries.empty();
    case Kind::kView:
      return !value.view().dict.dict().entries.empty();
    case Kind::kRange:
      return value.range().size() != 0;
    default:
      return true;
  }
}

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kString:
      return value.markup() ? "Markup" : "str";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kView:
      return "dict view";
    case Kind::kRange:
      return "range";
    case Kind::kIterator:
      return "generator";
    case Kind::kNamespace:
      return "Namespace";
    case Kind::kLoop:
      return "LoopContext";
    case Kind::kMacro:
      return "Macro";
    case Kind::kFunction:
      return "function";
    case Kind::kCycler:
      return "Cycler";
    case Kind::kJoiner:
      return "Joiner";
  }
  return "object";
}

const Value* DictObject::find(const Value& key) const {
  if (!hashable(key)) return nullptr;
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &entries[found->second].second;
}

const Value* DictObject::find(std::string_view key) const { return find(Value::string(std::string(key))); }

void DictObject::set(const Value& key, Value value) {
  const auto [at, added] = index.try_emplace(key, entries.size());
  if (added) {
    entries.emplace_back(key, std::move(value));
  } else {
    entries[at->second].second = std::move(value);
  }
}

int64_t RangeObject::size() const {
  if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

}  // namespace hb::jinja
