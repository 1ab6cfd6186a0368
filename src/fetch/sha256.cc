#include "fetch/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace hb {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  HB_CHECK(context_ != nullptr);
  reset();
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::reset() { HB_CHECK_EQ(EVP_DigestInit_ex(context_, EVP_sha256(), nullptr), 1); }

void Sha256::update(std::span<const uint8_t> bytes) {
  HB_CHECK_EQ(EVP_DigestUpdate(context_, bytes.data(), bytes.size()), 1);
}

std::string Sha256::finish() {
  std::array<uint8_t, 32> digest{};
  HB_CHECK_EQ(EVP_DigestFinal_ex(context_, digest.data(), nullptr), 1);
  std::string hex;
  for (const uint8_t byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool is_sha256_hex(const std::string& text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace hb
