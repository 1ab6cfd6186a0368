// strftime() as Python has it, for strftime_now().
#pragma once

#include <ctime>
#include <string>

#include "base/error.h"

namespace hb::jinja {

// ERRORS: kUnsupported for a format or a text of more than a few hundred bytes.
Result<std::string> format_time(const std::string& format, const std::tm& time);

}  // namespace hb::jinja
