#include "backend/opencl/program_cache_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace hb::opencl {
namespace {

// Before the driver's bytes.
struct Header {
  char magic[8] = {'H', 'B', 'C', 'L', 'P', 'R', '0', '1'};
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

constexpr uint64_t kMaxBytes = 256u << 20;

// FNV-1a, 64 bits.
uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed = 0xcbf29ce484222325u) {
  uint64_t hash = seed;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

// With its end, so that texts cannot run into one another.
uint64_t hash_text(const std::string& text, uint64_t seed) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(text.c_str()), text.size() + 1}, seed);
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

std::string program_cache_path(const std::string& folder, const DeviceFacts& facts, const std::string& kernel,
                               const std::string& source, const std::string& options) {
  uint64_t key = hash_bytes({});
  for (const std::string* text :
       {&source, &options, &facts.name, &facts.vendor, &facts.platform, &facts.driver, &facts.version})
    key = hash_text(*text, key);
  return fmt::format("{}/opencl/{}-{:016x}.program", folder, kernel, key);
}

std::vector<uint8_t> read_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 || header.bytes > kMaxBytes)
    return {};
  std::error_code error;
  if (std::filesystem::file_size(path, error) != sizeof header + header.bytes || error) return {};
  std::vector<uint8_t> data(header.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  return hash_bytes(data) == header.hash ? data : std::vector<uint8_t>();
}

Status write_program(const std::string& path, std::span<const uint8_t> binary) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}.part", path, getpid());
  const Status written = write_file(temporary, binary);
  if (written) std::filesystem::rename(temporary, path, error);
  if (written && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  if (!written) return written;
  return fail(ErrorCode::kIo, fmt::format("cannot replace '{}': {}", path, error.message()));
}

}  // namespace hb::opencl
