// In place of the backend where the build found no OpenCL headers.
#include "backend/opencl/opencl_backend.h"

namespace hb {
namespace {

std::unexpected<Error> not_built() {
  return fail(ErrorCode::kUnsupported,
              "this build has no OpenCL backend: the OpenCL headers were missing (Debian: opencl-c-headers)");
}

}  // namespace

Result<std::unique_ptr<Backend>> make_opencl_backend(const OpenclBackendOptions&) { return not_built(); }

Result<std::vector<opencl::DeviceFacts>> list_opencl_devices(const std::string&) { return not_built(); }

}  // namespace hb
