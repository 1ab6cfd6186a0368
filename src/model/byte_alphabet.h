// GPT-2's spelling of bytes: a byte-level vocabulary writes each byte as one printable character.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hb {

// The character (UTF-8, 1 or 2 bytes) that stands for `byte`: itself if it is printable Latin-1, otherwise
// one of U+0100 to U+0143, in the order of the bytes. A space is "Ġ" (U+0120).
std::string_view spelling_of_byte(uint8_t byte);

// The bytes that `spelling` stands for; nothing if it holds a character outside the alphabet.
std::optional<std::string> bytes_of_spelling(std::string_view spelling);

}  // namespace hb
