#include "fetch/cache_dir.h"

#include <cstdlib>
#include <string_view>

namespace hb {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Result<std::string> cache_dir() {
  if (const auto own = variable("HALFBYTE_CACHE_DIR"); !own.empty()) return std::string(own);
  if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return std::string(xdg) + "/halfbyte";
  if (const auto home = variable("HOME"); !home.empty()) return std::string(home) + "/.cache/halfbyte";
  return fail(ErrorCode::kNotFound,
              "no cache folder: set HALFBYTE_CACHE_DIR to a folder that models may be kept in");
}

}  // namespace hb
