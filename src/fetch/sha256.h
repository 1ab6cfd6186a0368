// SHA-256, computed while bytes stream past.
#pragma once

#include <cstdint>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace hb {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const uint8_t> bytes);

  // The digest of everything since the start or the last reset(), as 64 lower-case hex digits. Ends the
  // stream: REQUIRES reset() before the next update().
  std::string finish();
  void reset();

 private:
  evp_md_ctx_st* context_;
};

// True for 64 hex digits in lower case, the form finish() returns.
bool is_sha256_hex(const std::string& text);

}  // namespace hb
