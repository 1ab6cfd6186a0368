// Numbers of one architecture's metadata, each with the range it must lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/gguf.h"

namespace hb {

struct CountRange {
  uint64_t least;
  uint64_t most;  // below 2^32
};

struct FloatRange {
  float least;
  float most;
};

// Keys are given without the architecture's prefix: "block_count" is "llama.block_count" in the file.
// Without a fallback the key is required. BORROWS the file.
// ERRORS: kBadFile names the key, its offset, what is there and what was expected.
class KeyReader {
 public:
  KeyReader(const GgufFile& file, std::string_view architecture) : file_(file), prefix_(architecture) {}

  const GgufFile& file() const { return file_; }
  const GgufValue* find(std::string_view key) const { return file_.find(full(key)); }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  Result<uint32_t> count(std::string_view key, CountRange range, std::optional<uint32_t> fallback = {}) const;
  Result<float> number(std::string_view key, FloatRange range, std::optional<float> fallback = {}) const;
  // Keys of which 0 means "none", and is what an absent one means.
  Result<float> number_or_zero(std::string_view key, FloatRange range) const;
  Result<std::string> text(std::string_view key, std::string_view fallback) const;

  // "offset 40: key 'llama.block_count' is 0; {expected} was expected".
  Error bad(std::string_view key, std::string_view expected) const;
  Error unsupported(std::string_view key, std::string_view why) const;

 private:
  std::string full(std::string_view key) const;
  std::string describe(std::string_view key) const;

  const GgufFile& file_;
  std::string prefix_;
};

}  // namespace hb
