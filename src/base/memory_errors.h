// The standard library throws when memory is short; our functions return an error.
#pragma once

#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "base/error.h"

namespace hb {

// f's result; kOutOfMemory, with `what` there was no memory for, if an allocation fails in it.
template <class F>
auto without_bad_alloc(const char* what, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return fail(ErrorCode::kOutOfMemory, fmt::format("no memory for {}", what));
}

}  // namespace hb
