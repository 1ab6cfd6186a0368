#include "api/copy_out.h"

#include <fmt/format.h>

#include <algorithm>

namespace hb::api {
namespace {

// True if there is a buffer to be written, false if only the size is asked for.
std::expected<bool, ApiError> has_room(size_t needed, const void* out, size_t capacity) {
  if (out == nullptr && capacity == 0) return false;
  HB_TRY(not_null(out, "the buffer of a capacity above 0"));
  if (needed <= capacity) return true;
  return std::unexpected(ApiError(
      HB_BUFFER_TOO_SMALL, fmt::format("the buffer has a capacity of {}; {} are needed", capacity, needed)));
}

}  // namespace

ApiStatus copy_tokens(std::span<const int32_t> tokens, int32_t* out, size_t capacity, size_t* count) {
  HB_TRY(not_null(count, "count"));
  const auto room = has_room(tokens.size(), out, capacity);
  if (room || room.error().status == HB_BUFFER_TOO_SMALL) *count = tokens.size();
  if (!room) return std::unexpected(room.error());
  if (*room) std::ranges::copy(tokens, out);
  return {};
}

ApiStatus copy_text(std::string_view text, char* out, size_t capacity, size_t* length) {
  HB_TRY(not_null(length, "length"));
  const auto room = has_room(text.size() + 1, out, capacity);
  if (room || room.error().status == HB_BUFFER_TOO_SMALL) *length = text.size();
  if (!room) return std::unexpected(room.error());
  if (*room) *std::ranges::copy(text, out).out = '\0';
  return {};
}

}  // namespace hb::api
