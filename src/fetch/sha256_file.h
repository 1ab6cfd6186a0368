// SHA-256 of a whole file.
#pragma once

#include <string>

#include "base/error.h"
#include "fetch/progress.h"

namespace hb {

// ERRORS: kNotFound, kIo, kCancelled.
Result<std::string> sha256_of_file(const std::string& path, const ProgressFn& progress);

}  // namespace hb
