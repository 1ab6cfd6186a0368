// A driver's pipeline cache on disk: compiling kernels takes seconds on phones, reading them milliseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/vulkan/device_facts.h"
#include "base/error.h"

namespace hb::vulkan {

// The file for a device, its driver and a set of kernels: another of any of them is another file.
std::string pipeline_cache_path(const std::string& folder, const DeviceFacts& facts, uint64_t kernels_hash);

// What write_pipeline_cache() wrote. Empty if the file is not there, or is damaged in any way: drivers crash
// on that.
std::vector<uint8_t> read_pipeline_cache(const std::string& path);

// Replaces the file in one step; makes the folders. ERRORS: kIo.
Status write_pipeline_cache(const std::string& path, std::span<const uint8_t> data);

}  // namespace hb::vulkan
