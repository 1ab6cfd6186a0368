// Builds npy files around any header text, right or wrong.
#pragma once

#include <cstddef>
#include <string>

namespace hb {

inline std::string npy_bytes(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const size_t length_bytes = version == 1 ? 2 : 4;
  for (size_t i = 0; i < length_bytes; ++i) file += static_cast<char>(dictionary.size() >> (8 * i));
  return file + dictionary + data;
}

}  // namespace hb
