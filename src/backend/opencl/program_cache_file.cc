#include "backend/opencl/program_cache_file.h"

#include <fmt/format.h>

#include "base/checked_file.h"

namespace hb::opencl {
namespace {

constexpr std::string_view kMagic = "HBCLPR01";

// With its end, so that texts cannot run into one another.
uint64_t hash_text(const std::string& text, uint64_t seed) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(text.c_str()), text.size() + 1}, seed);
}

}  // namespace

std::string program_cache_path(const std::string& folder, const DeviceFacts& facts, const std::string& kernel,
                               const std::string& source, const std::string& options) {
  uint64_t key = hash_bytes({});
  for (const std::string* text :
       {&source, &options, &facts.name, &facts.vendor, &facts.platform, &facts.driver, &facts.version})
    key = hash_text(*text, key);
  return fmt::format("{}/opencl/{}-{:016x}.program", folder, kernel, key);
}

std::vector<uint8_t> read_program(const std::string& path) { return read_checked_file(path, kMagic); }

Status write_program(const std::string& path, std::span<const uint8_t> binary) {
  return write_checked_file(path, kMagic, binary);
}

}  // namespace hb::opencl
