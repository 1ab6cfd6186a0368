#include "api/sized_struct.h"

#include <fmt/format.h>

namespace hb::api {
namespace {

// No struct will come near it, and an uninitialised size rarely stays below.
constexpr size_t kLargestStruct = 4096;

}  // namespace

Status check_struct_size(size_t struct_size, const char* name) {
  if (struct_size >= sizeof(size_t) && struct_size <= kLargestStruct) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("struct_size of {0} is {1}; set it to sizeof({0}) first", name, struct_size));
}

Status check_unknown_bytes(const void* bytes, size_t known, size_t struct_size, const char* name) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (size_t i = known; i < struct_size; ++i) {
    if (at[i] == 0) continue;
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("byte {} of {} is set, but this library knows only the first {}; use a newer library", i,
                    name, known));
  }
  return {};
}

}  // namespace hb::api
