// The attribute argument of filters: "a.b.0" means item["a"]["b"][0].
#pragma once

#include <vector>

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

class ItemPath {
 public:
  // None: the item itself. A string: parts between dots, integers where they are digits. Else: one key.
  static Result<ItemPath> parse(const Value& attribute);

  // `fallback` replaces undefined parts on the way, unless it is missing or None.
  Result<Value> get(Interpreter& in, const Value& item, const Value& fallback = Value()) const;

 private:
  std::vector<Value> parts_;
};

}  // namespace hb::jinja
