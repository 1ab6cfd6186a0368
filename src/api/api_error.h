// The C API's errors: the engine's, and those that only an API has.
#pragma once

#include <exception>
#include <expected>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {

hb_status status_of(ErrorCode code);

struct ApiError {
  ApiError(hb_status status, std::string message) : status(status), message(std::move(message)) {}
  ApiError(Error error) : status(status_of(error.code)), message(std::move(error.message)) {}  // for HB_TRY

  hb_status status;
  std::string message;
};

using ApiStatus = std::expected<void, ApiError>;

// `name` is the parameter's, as in halfbyte.h.
Status not_null(const void* pointer, const char* name);
Status is_switch(uint32_t value, const char* name);
Status is_zero(uint32_t value, const char* name);
Status has_flags(uint32_t flags, uint32_t known);

// An array parameter: NULL only if it is empty, and no more than any model could use.
Status is_array(const void* pointer, size_t count, const char* name);

// Fills *error, unless it is NULL, and returns the status. A message that is too long is cut between
// characters.
hb_status report(hb_status status, const char* message, hb_error* error) noexcept;

// The body of every function that can fail: f() returns an ApiStatus or Status; nothing leaves by exception.
template <class F>
hb_status guarded(hb_error* error, F&& f) noexcept {
  try {
    const ApiStatus result = std::forward<F>(f)();
    return result ? HB_OK : report(result.error().status, result.error().message.c_str(), error);
  } catch (const std::bad_alloc&) {
    return report(HB_OUT_OF_MEMORY, "the system has no more memory", error);
  } catch (const std::exception& exception) {
    return report(HB_INTERNAL, exception.what(), error);
  } catch (...) {
    return report(HB_INTERNAL, "an exception of unknown type", error);
  }
}

}  // namespace hb::api
