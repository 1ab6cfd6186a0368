// VkResult as the project's errors.
#pragma once

#include <volk.h>

#include <string>

#include "base/error.h"

namespace hb::vulkan {

const char* vk_result_name(VkResult result);

// Nothing for VK_SUCCESS. ERRORS: kOutOfMemory, kUnsupported (the device lacks what was asked for), kDevice.
// `what`: the step that failed, "allocating 3 MB of device memory".
Status vk_status(VkResult result, const std::string& what);

}  // namespace hb::vulkan

// Leaves the function with an error unless the Vulkan call succeeds. The message is made only then.
#define HB_VK(call, what)                                                     \
  do {                                                                        \
    if (const VkResult hb_vk = (call); hb_vk != VK_SUCCESS)                   \
      return std::unexpected(::hb::vulkan::vk_status(hb_vk, (what)).error()); \
  } while (false)
