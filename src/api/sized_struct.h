// Structs that begin with their size, so that programs and libraries of different ages understand each other.
// The rules are on top of halfbyte.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.h"

namespace hb::api {

// ERRORS: kInvalidArgument for a struct_size that no version of the struct `name` can have.
Status check_struct_size(size_t struct_size, const char* name);

// ERRORS: kInvalidArgument if a byte from `known` on, up to struct_size, is not zero.
Status check_unknown_bytes(const void* bytes, size_t known, size_t struct_size, const char* name);

// The caller's options (NULL: the defaults) as this library's struct.
template <class T>
Result<T> read_struct(const T* given, const T& defaults, const char* name) {
  T known = defaults;
  if (given == nullptr) return known;
  HB_TRY(check_struct_size(given->struct_size, name));
  HB_TRY(check_unknown_bytes(given, sizeof(T), given->struct_size, name));
  std::memcpy(&known, given, std::min(given->struct_size, sizeof(T)));
  known.struct_size = sizeof(T);
  return known;
}

// Fills the caller's `struct_size` bytes at `out` from `value`, with zeros behind what this library knows.
template <class T>
Status write_struct(T value, size_t struct_size, T* out, const char* name) {
  HB_TRY(check_struct_size(struct_size, name));
  value.struct_size = struct_size;
  const size_t known = std::min(struct_size, sizeof(T));
  void* bytes = out;
  std::memset(bytes, 0, struct_size);
  std::memcpy(bytes, &value, known);
  return {};
}

}  // namespace hb::api
