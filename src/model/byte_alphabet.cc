#include "model/byte_alphabet.h"

#include <array>

namespace hb {
namespace {

constexpr uint32_t kFirstStandIn = 0x100;
constexpr uint32_t kCodePoints = 0x144;  // the alphabet's characters all lie below

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<std::array<char, 2>, 256> spelling{};
  std::array<uint8_t, 256> size_bytes{};
  std::array<int16_t, kCodePoints> byte_of{};  // -1: not in the alphabet

  constexpr Alphabet() {
    byte_of.fill(-1);
    uint32_t next = kFirstStandIn;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t code = stands_for_itself(byte) ? byte : next++;
      byte_of[code] = static_cast<int16_t>(byte);
      size_bytes[byte] = code < 0x80 ? 1 : 2;
      if (code < 0x80) {
        spelling[byte] = {static_cast<char>(code), 0};
      } else {
        spelling[byte] = {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
      }
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

std::string_view spelling_of_byte(uint8_t byte) {
  return {kAlphabet.spelling[byte].data(), kAlphabet.size_bytes[byte]};
}

std::optional<std::string> bytes_of_spelling(std::string_view spelling) {
  std::string bytes;
  bytes.reserve(spelling.size());
  for (size_t i = 0; i < spelling.size(); ++i) {
    uint32_t code = static_cast<uint8_t>(spelling[i]);
    if (code >= 0xC2 && code <= 0xC5 && i + 1 < spelling.size()) {
      code = (code & 0x1F) << 6 | (static_cast<uint8_t>(spelling[++i]) & 0x3F);
      if ((static_cast<uint8_t>(spelling[i]) & 0xC0) != 0x80) return std::nullopt;
    } else if (code >= 0x80) {
      return std::nullopt;
    }
    if (code >= kCodePoints || kAlphabet.byte_of[code] < 0) return std::nullopt;
    bytes += static_cast<char>(kAlphabet.byte_of[code]);
  }
  return bytes;
}

}  // namespace hb
