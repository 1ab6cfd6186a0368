#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hb::internal {

void check_failed(const char* file, int line, const char* expression, const std::string& values) {
  std::fprintf(stderr, "halfbyte: internal error at %s:%d: %s%s%s\n", file, line, expression,
               values.empty() ? "" : ": ", values.c_str());
  std::abort();
}

}  // namespace hb::internal
