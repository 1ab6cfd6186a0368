// A built program on disk: phones take seconds to compile a kernel, milliseconds to read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/opencl/device_facts.h"
#include "base/error.h"

namespace hb::opencl {

// The file of a program on a device: another text, other options, another driver or device are another file.
std::string program_cache_path(const std::string& folder, const DeviceFacts& facts, const std::string& kernel,
                               const std::string& source, const std::string& options);

// What write_program() wrote. Empty if the file is not there, or is damaged in any way: drivers crash on
// that.
std::vector<uint8_t> read_program(const std::string& path);

// Replaces the file in one step; makes the folders. ERRORS: kIo.
Status write_program(const std::string& path, std::span<const uint8_t> binary);

}  // namespace hb::opencl
