// Lines that a person types, with editing and history, or lines of a pipe.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"

namespace hb {

struct InputLine {
  enum class End {
    kLine,
    kEndOfInput,   // text is empty
    kInterrupted,  // by a signal; what was typed is lost
  };
  End end = End::kLine;
  std::string
      text;  // without its line end; lines that ended in a backslash are joined with their next by a line end
};

// THREADS: one.
class LineReader {
 public:
  virtual ~LineReader() = default;
  virtual InputLine read() = 0;
};

// For a terminal: libedit with its usual keys and the history of earlier runs, which is kept in
// `history_path` (the last 1000 lines; an empty path: no history). ERRORS: kIo if the terminal cannot be
// used.
Result<std::unique_ptr<LineReader>> make_terminal_reader(const std::string& history_path);

// For a pipe or a file on standard input; prints no prompt.
std::unique_ptr<LineReader> make_pipe_reader();

}  // namespace hb
