// Asks a driver for the facts of a device.
#pragma once

#include <volk.h>

#include "backend/vulkan/device_facts.h"

namespace hb::vulkan {

DeviceFacts query_facts(VkPhysicalDevice device);

}  // namespace hb::vulkan
