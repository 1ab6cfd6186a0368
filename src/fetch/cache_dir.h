// Where models are kept: HALFBYTE_CACHE_DIR, else XDG_CACHE_HOME/halfbyte, else HOME/.cache/halfbyte.
#pragma once

#include <string>

#include "base/error.h"

namespace hb {

// ERRORS: kNotFound if none of the three variables is set.
Result<std::string> cache_dir();

}  // namespace hb
