// OpenCL's error codes as errors: the one place where a cl_int gets a meaning.
#pragma once

#include <CL/cl.h>

#include "base/error.h"

namespace hb::opencl {

// "CL_OUT_OF_RESOURCES", or the number as text.
std::string cl_error_name(cl_int code);

// kOutOfMemory where memory is short, else kDevice. `doing`: "building kernel 'x'".
Error cl_error(cl_int code, const std::string& doing);

Status check_cl(cl_int code, const std::string& doing);

}  // namespace hb::opencl

// Leaves the function if an OpenCL call failed.
#define HB_CL(call, doing)                                            \
  do {                                                                \
    if (const cl_int hb_code = (call); hb_code != CL_SUCCESS) {       \
      return std::unexpected(::hb::opencl::cl_error(hb_code, doing)); \
    }                                                                 \
  } while (false)
