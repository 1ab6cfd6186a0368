// str.format(), without format specifications.
#pragma once

#include "base/error.h"
#include "model/jinja/builtins.h"

namespace hb::jinja {

// {} {0} {name} {name.attribute} {name[key]} {{ }}, with !r and !s.
// ERRORS: kUnsupported for a specification behind a colon.
Result<Value> brace_format(Interpreter& in, const Value& self, const Args& args);

}  // namespace hb::jinja
