// Shell completion, generated from the commands themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.h"

namespace hb {

// A script for `shell` (bash, zsh or fish) that completes the commands and options of `app`, and file names
// elsewhere. ERRORS: kInvalidArgument for another shell.
Result<std::string> completion_script(const CLI::App& app, const std::string& shell);

}  // namespace hb
