#include "base/checked_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "base/new_file.h"

namespace hb {
namespace {

struct Header {
  char magic[8];
  uint64_t bytes;
  uint64_t hash;
};

constexpr uint64_t kMaxBytes = 256u << 20;

}  // namespace

uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::vector<uint8_t> read_checked_file(const std::string& path, std::string_view magic) {
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::string_view(header.magic, sizeof header.magic) != magic || header.bytes > kMaxBytes) return {};
  std::error_code error;
  if (std::filesystem::file_size(path, error) != sizeof header + header.bytes || error) return {};
  std::vector<uint8_t> data(header.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  return hash_bytes(data) == header.hash ? data : std::vector<uint8_t>();
}

Status write_checked_file(const std::string& path, std::string_view magic, std::span<const uint8_t> data) {
  Header header = {.magic = {}, .bytes = data.size(), .hash = hash_bytes(data)};
  HB_CHECK_EQ(magic.size(), sizeof header.magic);
  std::memcpy(header.magic, magic.data(), sizeof header.magic);
  std::error_code ignored;  // a folder that is missing is told when the file is made
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  HB_ASSIGN(const std::unique_ptr<NewFile> file, NewFile::create(path));
  HB_TRY(file->write({reinterpret_cast<const uint8_t*>(&header), sizeof header}));
  HB_TRY(file->write(data));
  return file->replace();  // what a crash of the system makes of it is found out by the hash
}

}  // namespace hb
