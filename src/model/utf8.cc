#include "model/utf8.h"

#include <cstdint>

#include "base/check.h"

namespace hb {
namespace {

// What must follow a lead byte: `count` bytes in 80..BF, the first of them in low..high.
struct Continuation {
  size_t count;
  uint8_t low, high;
};

Continuation continuation_of(uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF};
  return {0, 0, 0};
}

}  // namespace

Utf8Unit utf8_next(std::string_view text) {
  HB_CHECK(!text.empty());
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {1, Utf8Kind::kValid};
  auto [count, low, high] = continuation_of(lead);
  if (count == 0) return {1, Utf8Kind::kInvalid};
  for (size_t i = 1; i <= count; ++i) {
    if (i == text.size()) return {i, Utf8Kind::kPartial};
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < low || byte > high) return {i, Utf8Kind::kInvalid};
    low = 0x80;
    high = 0xBF;
  }
  return {count + 1, Utf8Kind::kValid};
}

}  // namespace hb
