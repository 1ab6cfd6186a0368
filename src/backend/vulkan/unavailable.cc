// In place of the backend, where the build has found no shader compiler or no Vulkan headers.
#include "backend/vulkan/vulkan_backend.h"

namespace hb {
namespace {

std::unexpected<Error> not_built() {
  return fail(ErrorCode::kUnsupported,
              "this halfbyte was built without Vulkan; build it where glslc, volk and the Vulkan headers are "
              "installed");
}

}  // namespace

Result<std::unique_ptr<Backend>> make_vulkan_backend(const VulkanBackendOptions&) { return not_built(); }
VulkanReport vulkan_report(const Backend&) { return {}; }
Result<std::vector<vulkan::DeviceFacts>> list_vulkan_devices() { return not_built(); }

}  // namespace hb
