// Arrays and texts into buffers of the caller, by the size-query convention on top of halfbyte.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/api_error.h"

namespace hb::api {

// ERRORS: kInvalidArgument (no count; a capacity without a buffer), HB_BUFFER_TOO_SMALL: *count is then set.
ApiStatus copy_tokens(std::span<const int32_t> tokens, int32_t* out, size_t capacity, size_t* count);

// Writes a zero behind the text, which the capacity counts and *length does not.
ApiStatus copy_text(std::string_view text, char* out, size_t capacity, size_t* length);

}  // namespace hb::api
