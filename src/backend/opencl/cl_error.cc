#include "backend/opencl/cl_error.h"

#include <fmt/format.h>

namespace hb::opencl {
namespace {

struct Meaning {
  const char* name;
  const char* advice = "";
  ErrorCode code = ErrorCode::kDevice;
};

constexpr const char* kLost =
    "the driver has failed or the device is lost; start again, or use --backend cpu";
constexpr const char* kLess = "use a smaller model, a shorter context or smaller batches";

Meaning meaning_of(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND:
      return {"CL_DEVICE_NOT_FOUND"};
    case CL_DEVICE_NOT_AVAILABLE:
      return {"CL_DEVICE_NOT_AVAILABLE", kLost};
    case CL_COMPILER_NOT_AVAILABLE:
      return {"CL_COMPILER_NOT_AVAILABLE", "the driver has no compiler; use another device",
              ErrorCode::kUnsupported};
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return {"CL_MEM_OBJECT_ALLOCATION_FAILURE", kLess, ErrorCode::kOutOfMemory};
    case CL_OUT_OF_RESOURCES:
      return {"CL_OUT_OF_RESOURCES", kLost};
    case CL_OUT_OF_HOST_MEMORY:
      return {"CL_OUT_OF_HOST_MEMORY", kLess, ErrorCode::kOutOfMemory};
    case CL_MAP_FAILURE:
      return {"CL_MAP_FAILURE"};
    case CL_BUILD_PROGRAM_FAILURE:
      return {"CL_BUILD_PROGRAM_FAILURE"};
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return {"CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", kLost};
    case CL_INVALID_VALUE:
      return {"CL_INVALID_VALUE"};
    case CL_INVALID_DEVICE:
      return {"CL_INVALID_DEVICE"};
    case CL_INVALID_CONTEXT:
      return {"CL_INVALID_CONTEXT"};
    case CL_INVALID_COMMAND_QUEUE:
      return {"CL_INVALID_COMMAND_QUEUE", kLost};
    case CL_INVALID_MEM_OBJECT:
      return {"CL_INVALID_MEM_OBJECT"};
    case CL_INVALID_BINARY:
      return {"CL_INVALID_BINARY"};
    case CL_INVALID_BUILD_OPTIONS:
      return {"CL_INVALID_BUILD_OPTIONS"};
    case CL_INVALID_PROGRAM_EXECUTABLE:
      return {"CL_INVALID_PROGRAM_EXECUTABLE"};
    case CL_INVALID_KERNEL_NAME:
      return {"CL_INVALID_KERNEL_NAME"};
    case CL_INVALID_KERNEL:
      return {"CL_INVALID_KERNEL"};
    case CL_INVALID_KERNEL_ARGS:
      return {"CL_INVALID_KERNEL_ARGS"};
    case CL_INVALID_WORK_GROUP_SIZE:
      return {"CL_INVALID_WORK_GROUP_SIZE"};
    case CL_INVALID_BUFFER_SIZE:
      return {"CL_INVALID_BUFFER_SIZE", kLess, ErrorCode::kOutOfMemory};
    case -1001:
      return {"CL_PLATFORM_NOT_FOUND_KHR", "the loader knows no driver; install one", ErrorCode::kNotFound};
    default:
      return {nullptr};
  }
}

}  // namespace

std::string cl_error_name(cl_int code) {
  const char* name = meaning_of(code).name;
  return name != nullptr ? name : fmt::format("OpenCL error {}", code);
}

Error cl_error(cl_int code, const std::string& doing) {
  const Meaning meaning = meaning_of(code);
  std::string message = fmt::format("{}: {}", doing, cl_error_name(code));
  if (*meaning.advice != '\0') message += fmt::format("; {}", meaning.advice);
  return {meaning.code, std::move(message)};
}

Status check_cl(cl_int code, const std::string& doing) {
  if (code == CL_SUCCESS) return {};
  return std::unexpected(cl_error(code, doing));
}

}  // namespace hb::opencl
