#include "api/api_error.h"

#include <fmt/format.h>

#include <cstring>

namespace hb::api {

hb_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return HB_INVALID_ARGUMENT;
    case ErrorCode::kNotFound:
      return HB_NOT_FOUND;
    case ErrorCode::kBadFile:
      return HB_BAD_FILE;
    case ErrorCode::kUnsupported:
      return HB_UNSUPPORTED;
    case ErrorCode::kIo:
      return HB_IO;
    case ErrorCode::kOutOfMemory:
      return HB_OUT_OF_MEMORY;
    case ErrorCode::kDevice:
      return HB_DEVICE;
    case ErrorCode::kCancelled:
      return HB_CANCELLED;
  }
  return HB_INTERNAL;
}

Status not_null(const void* pointer, const char* name) {
  if (pointer != nullptr) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} is NULL", name));
}

Status is_switch(uint32_t value, const char* name) {
  if (value <= 1) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} is {}; it may be 0 or 1", name, value));
}

Status is_zero(uint32_t value, const char* name) {
  if (value == 0) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} is {}; it must be 0", name, value));
}

Status has_flags(uint32_t flags, uint32_t known) {
  if ((flags & ~known) == 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("flags are {:#x}; this function knows {:#x}", flags, known));
}

Status is_array(const void* pointer, size_t count, const char* name) {
  if (count > INT32_MAX) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has {} elements; there may be up to {}", name, count, INT32_MAX));
  }
  return count == 0 ? Status{} : not_null(pointer, name);
}

hb_status report(hb_status status, const char* message, hb_error* error) noexcept {
  if (error == nullptr) return status;
  constexpr size_t kRoom = sizeof(error->message) - 1;
  size_t length = std::strlen(message);
  if (length > kRoom) {
    length = kRoom;
    while (length > 0 && (message[length] & 0xC0) == 0x80) --length;
  }
  error->status = status;
  std::memcpy(error->message, message, length);
  error->message[length] = '\0';
  return status;
}

}  // namespace hb::api
