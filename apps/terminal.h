// Bold and dim text for people at a terminal, plain text for everybody else.
#pragma once

#include <cstdio>
#include <string>

#include "base/settings.h"

namespace hb {

bool is_terminal(std::FILE* stream);

// How to write to one stream: with escape codes only if it is a terminal and NO_COLOR is not set.
class Style {
 public:
  Style(std::FILE* stream, const Settings& settings);

  std::string bold(const std::string& text) const { return wrapped("1", text); }
  std::string dim(const std::string& text) const { return wrapped("2", text); }

 private:
  std::string wrapped(const char* code, const std::string& text) const;

  bool enabled_;
};

}  // namespace hb
