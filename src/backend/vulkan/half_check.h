// Does the device convert halves to floats as the contract does? Only then may kernels leave it to the
// hardware (docs/numerics.md, section 8).
#pragma once

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"

namespace hb::vulkan {

// Compares all finite halves; false also for a device without half arithmetic. ERRORS: kDevice, kOutOfMemory.
Result<bool> converts_halves(Memory& memory, Pipelines& pipelines);

}  // namespace hb::vulkan
