// The world's errors (file, driver, user, memory) as values. Programmer's errors are in check.h.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace hb {

enum class ErrorCode {
  kInvalidArgument,  // The caller asked for something that cannot be: an option, a size, a position.
  kNotFound,         // A file, a tensor or a name is missing.
  kBadFile,          // Foreign bytes do not follow their format.
  kUnsupported,      // Well-formed, and more than this build can do.
  kIo,               // The operating system refused to read or write.
  kOutOfMemory,      // An allocation failed, on the host or on a device.
  kDevice,           // A driver failed, hung or lost its device.
  kCancelled,        // The caller's own stop request was obeyed.
};

// The lower-case name of a code, as printed before messages and in JSON.
const char* error_code_name(ErrorCode code);

// What went wrong, where, and what to do, as one sentence for a person.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;

  // The same error with `where` in front: "model.gguf: tensor 'x': …".
  Error within(const std::string& where) const { return {code, where + ": " + message}; }
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace hb

// Leaves the function with the error of `expr`, if it has one.
#define HB_TRY(expr)                                        \
  do {                                                      \
    if (auto hb_status = (expr); !hb_status) {              \
      return std::unexpected(std::move(hb_status).error()); \
    }                                                       \
  } while (false)

#define HB_CONCAT_INNER(a, b) a##b
#define HB_CONCAT(a, b) HB_CONCAT_INNER(a, b)

// HB_ASSIGN(auto x, f()): x becomes the value of f(), or the function returns its error.
#define HB_ASSIGN(lhs, expr) HB_ASSIGN_INNER(HB_CONCAT(hb_result_, __LINE__), lhs, expr)
#define HB_ASSIGN_INNER(result, lhs, expr)                        \
  auto result = (expr);                                           \
  if (!result) return std::unexpected(std::move(result).error()); \
  lhs = std::move(*result)
