// Text that a command works on: an argument, a file, or standard input.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/error.h"

namespace hb {

struct TextSource {
  std::optional<std::string> argument;
  std::string file;  // "-": standard input
};

// The positional argument `name` and -f,--file.
void add_text_source(CLI::App& command, TextSource& source, const std::string& name, const std::string& what);

// The text, which is UTF-8 and not empty. Without argument and file it is read from standard input, unless
// that is a terminal. `what` names it in messages ("prompt"). One line end at the end of a file or of
// standard input is not part of it. ERRORS: kInvalidArgument (no text, or not UTF-8, with the offset of the
// first bad byte; more than 1 GiB), kNotFound, kIo.
Result<std::string> read_text(const TextSource& source, const std::string& what);

// A whole file, as it is. ERRORS: kNotFound, kIo, kInvalidArgument (more than 1 GiB).
Result<std::string> read_text_file(const std::string& path);

// ERRORS: kInvalidArgument, with the offset of the first byte that is not UTF-8.
Status check_utf8(const std::string& text, const std::string& what);

}  // namespace hb
