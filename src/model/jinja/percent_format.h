// Python's "%s" formatting.
#pragma once

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

// format % args: %s %r %d %i %x %X %o %f %e %g %c %%, with flags, width, precision and %(name)s.
Result<Value> percent_format(Interpreter& in, const Value& format, const Value& args);

}  // namespace hb::jinja
