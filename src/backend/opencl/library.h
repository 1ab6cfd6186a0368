// The OpenCL library, found at run time: a phone has its vendor's, a PC a loader, many machines none.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace hb::opencl {

// OWNS the library, which is never unloaded: drivers leave threads behind.
struct Library {
  std::string path;  // as it was found
#define HB_CL_FUNCTION(name) decltype(&::name) name = nullptr;
#include "backend/opencl/cl_functions.def"
#undef HB_CL_FUNCTION
};

// Where to look, in order. An app on Android may only load what its manifest names and the vendor offers.
std::span<const char* const> library_names();

// `path`: the library to use, or empty: the first of library_names() that loads and has every function.
// ERRORS: kNotFound, with every place that was tried and what to do.
Result<std::shared_ptr<const Library>> load_library(const std::string& path);

}  // namespace hb::opencl
