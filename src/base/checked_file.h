// Files that a program makes for itself and can make again: read as they were written, or not at all.
//
//   8 bytes that say what it is, u64 length of the data, u64 hash_bytes of the data, the data
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hb {

// FNV-1a, 64 bits.
uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed = 0xcbf29ce484222325u);

// The data of a file that write_checked_file() wrote with this magic; nothing if it is not there, is of
// another kind, or is damaged in any way. REQUIRES: a magic of eight bytes.
std::vector<uint8_t> read_checked_file(const std::string& path, std::string_view magic);

// Replaces the file as a whole, and makes its folder. ERRORS: kIo.
Status write_checked_file(const std::string& path, std::string_view magic, std::span<const uint8_t> data);

}  // namespace hb
