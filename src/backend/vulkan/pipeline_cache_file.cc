#include "backend/vulkan/pipeline_cache_file.h"

#include <fmt/format.h>

#include "base/checked_file.h"

namespace hb::vulkan {
namespace {

constexpr std::string_view kMagic = "HBVKPC01";

template <class T>
uint64_t hash_value(const T& value, uint64_t seed) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(&value), sizeof value}, seed);
}

}  // namespace

std::string pipeline_cache_path(const std::string& folder, const DeviceFacts& facts, uint64_t kernels_hash) {
  uint64_t key = hash_value(kernels_hash, hash_bytes({}));
  key = hash_value(facts.driver_version, key);
  key = hash_bytes(facts.cache_uuid, key);
  return fmt::format("{}/vulkan/{:04x}-{:04x}-{:016x}.pipelines", folder, facts.vendor_id, facts.device_id,
                     key);
}

std::vector<uint8_t> read_pipeline_cache(const std::string& path) { return read_checked_file(path, kMagic); }

Status write_pipeline_cache(const std::string& path, std::span<const uint8_t> data) {
  return write_checked_file(path, kMagic, data);
}

}  // namespace hb::vulkan
