// Python's backslash escapes, as Jinja's string literals know them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace hb::jinja {

// The text of a literal without its quotes. An unknown escape stays as it is written.
// ERRORS: kBadFile: a cut \x, \u or \U, a code point that is none; kUnsupported: \N{name}.
Result<std::string> unescape(std::string_view literal);

}  // namespace hb::jinja
