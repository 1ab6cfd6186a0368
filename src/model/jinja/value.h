// The values of a template: Python's types as far as Jinja can meet them, immutable but for namespaces.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hb::jinja {

enum class Kind : uint8_t {
  kMissing,    // no value at all: an unset variable, an argument not given; never seen by a template
  kUndefined,  // Jinja's Undefined
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kList,
  kTuple,
  kDict,
  kView,  // dict.keys(), .values(), .items()
  kRange,
  kIterator,  // Python's generators: consumed once
  kNamespace,
  kLoop,
  kMacro,
  kFunction,
  kCycler,
  kJoiner,
};

struct Builtin;
struct Macro;
struct Namespace;
struct LoopState;
struct Cycler;
struct Joiner;

// What a container or a string points at. `depth` counts containers inside containers: bounded, because
// values are destroyed, compared and printed recursively.
struct Object {
  uint32_t depth = 1;
};
struct UndefinedObject;
struct StringObject;
struct ListObject;
struct DictObject;
struct ViewObject;
struct RangeObject;
struct IteratorObject;
struct FunctionObject;

// A value of 32 bytes. Strings and containers are shared, never changed after they were made.
class Value {
 public:
  Value() = default;  // kMissing
  static Value none() { return Value(Kind::kNone); }
  static Value boolean(bool b);
  static Value integer(int64_t i);
  static Value real(double d);
  static Value string(std::string s, bool markup = false);
  // `message` says what an operation on it fails with; `name` is what was asked for.
  static Value undefined(std::string message);
  static Value of(Kind kind, std::shared_ptr<const Object> object);
  // BORROWS `raw`, which the interpreter owns: a namespace, macro, loop, cycler or joiner.
  static Value borrowed(Kind kind, void* raw);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool missing() const { return kind_ == Kind::kMissing; }
  bool markup() const { return markup_; }  // a string that is escaped already
  bool number() const { return kind_ == Kind::kBool || kind_ == Kind::kInt || kind_ == Kind::kFloat; }
  bool integral() const { return kind_ == Kind::kBool || kind_ == Kind::kInt; }
  bool sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }

  // REQUIRES the kind in the name; as_int() also takes a bool, as_double() any number.
  bool as_bool() const { return int_ != 0; }
  int64_t as_int() const { return int_; }
  double as_double() const { return kind_ == Kind::kFloat ? double_ : static_cast<double>(int_); }
  const std::string& as_string() const;
  const std::vector<Value>& items() const;  // of a list or tuple
  const DictObject& dict() const;
  const ViewObject& view() const;
  const RangeObject& range() const;
  IteratorObject& iterator() const;
  const FunctionObject& function() const;
  const std::string& undefined_message() const;
  template <class T>
  T& raw() const {
    return *static_cast<T*>(raw_);
  }
  const void* address() const { return object_ ? static_cast<const void*>(object_.get()) : raw_; }
  uint32_t depth() const { return object_ ? object_->depth : 0; }

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kMissing;
  bool markup_ = false;
  union {
    int64_t int_ = 0;
    double double_;
    void* raw_;
  };
  std::shared_ptr<const Object> object_;
};

// Python's == and hash(). REQUIRES for the hash: hashable(value).
bool equals(const Value& a, const Value& b);
size_t hash_of(const Value& value);
bool hashable(const Value& value);
// Python's truth of a value.
bool truthy(const Value& value);
// The name of the Python type, for messages.
std::string type_name(const Value& value);

struct ValueHash {
  size_t operator()(const Value& value) const { return hash_of(value); }
};
struct ValueEqual {
  bool operator()(const Value& a, const Value& b) const { return equals(a, b); }
};

struct UndefinedObject : Object {
  std::string message;
};
struct StringObject : Object {
  std::string text;
};
struct ListObject : Object {
  std::vector<Value> items;
};
struct DictObject : Object {
  std::vector<std::pair<Value, Value>> entries;  // in the order of insertion
  std::unordered_map<Value, size_t, ValueHash, ValueEqual> index;

  const Value* find(const Value& key) const;  // null if absent or unhashable
  const Value* find(std::string_view key) const;
  void set(const Value& key, Value value);  // REQUIRES hashable(key)
};
struct ViewObject : Object {
  enum class Part { kKeys, kValues, kItems } part = Part::kKeys;
  Value dict;
};
struct RangeObject : Object {
  int64_t start = 0;
  int64_t stop = 0;
  int64_t step = 1;

  int64_t size() const;
  int64_t at(int64_t index) const { return start + index * step; }
};
// A generator. `next` answers nothing at the end.
struct IteratorObject : Object {
  std::function<Result<std::optional<Value>>()> next;
};
// A function of this engine, bound to the value that it is a method of.
struct FunctionObject : Object {
  const Builtin* builtin = nullptr;
  Value self;
};

}  // namespace hb::jinja
