// Python's operators on values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/jinja/ast.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

// A TypeError, ValueError and the like of Python.
std::unexpected<Error> wrong(std::string message);
// The error of any use of an Undefined.
std::unexpected<Error> undefined_error(const Value& undefined);

// a + b, a % b and so on.
Result<Value> arithmetic(Interpreter& in, Op op, const Value& a, const Value& b);
Result<Value> negate(const Value& value);
// a == b, a in b and so on.
Result<bool> compare(Interpreter& in, Op op, const Value& a, const Value& b);
Result<bool> less(const Value& a, const Value& b);
Result<bool> contains(Interpreter& in, const Value& item, const Value& container);
// len(value)
Result<int64_t> length(const Value& value);

// Walks over any iterable, once. BORROWS the value and the interpreter.
class Cursor {
 public:
  static Result<Cursor> over(Interpreter& in, const Value& iterable);
  Result<std::optional<Value>> next();

 private:
  Cursor(Interpreter& in, Value iterable) : in_(&in), iterable_(std::move(iterable)) {}

  Interpreter* in_;
  Value iterable_;
  size_t at_ = 0;  // elements, or bytes of a string
};

// list(iterable)
Result<std::vector<Value>> collect(Interpreter& in, const Value& iterable);

// value[index] where Python has it; nothing where it raises LookupError or TypeError.
std::optional<Value> subscript(const Value& value, const Value& index);
struct SliceBounds {
  Value start, stop, step;  // integers or None
};
Result<Value> slice(Interpreter& in, const Value& value, const SliceBounds& bounds);

}  // namespace hb::jinja
