#include "backend/vulkan/pipeline_cache_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace hb::vulkan {
namespace {

// Before the driver's bytes.
struct Header {
  char magic[8] = {'H', 'B', 'V', 'K', 'P', 'C', '0', '1'};
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

constexpr uint64_t kMaxBytes = 256u << 20;

template <class T>
uint64_t hash_value(const T& value, uint64_t seed) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(&value), sizeof value}, seed);
}

Status write_file(const std::string& path, std::span<const uint8_t> data) {
  Header header;
  header.bytes = data.size();
  header.hash = hash_bytes(data);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  file.close();
  if (file) return {};
  return fail(ErrorCode::kIo, fmt::format("cannot write '{}'", path));
}

}  // namespace

uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::string pipeline_cache_path(const std::string& folder, const DeviceFacts& facts, uint64_t kernels_hash) {
  uint64_t key = hash_value(kernels_hash, hash_bytes({}));
  key = hash_value(facts.driver_version, key);
  key = hash_bytes(facts.cache_uuid, key);
  return fmt::format("{}/vulkan/{:04x}-{:04x}-{:016x}.pipelines", folder, facts.vendor_id, facts.device_id,
                     key);
}

std::vector<uint8_t> read_pipeline_cache(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 || header.bytes > kMaxBytes)
    return {};
  std::error_code error;
  if (std::filesystem::file_size(path, error) != sizeof header + header.bytes || error) return {};
  std::vector<uint8_t> data(header.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  if (hash_bytes(data) != header.hash) return {};
  return data;
}

Status write_pipeline_cache(const std::string& path, std::span<const uint8_t> data) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}", path, getpid());
  HB_TRY(write_file(temporary, data));
  std::filesystem::rename(temporary, path, error);
  if (!error) return {};
  std::filesystem::remove(temporary, error);
  return fail(ErrorCode::kIo, fmt::format("cannot rename '{}' to '{}'", temporary, path));
}

}  // namespace hb::vulkan
