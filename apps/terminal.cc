#include "apps/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

namespace hb {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

Style::Style(std::FILE* stream, const Settings& settings)
    : enabled_(is_terminal(stream) && settings.no_color.empty()) {}

std::string Style::wrapped(const char* code, const std::string& text) const {
  return enabled_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

}  // namespace hb
