// What differs between kinds of tokenizers: text between special tokens to ids, and an ordinary token to
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hb {

// BORROWS the Vocab it was made for.
// THREADS: all methods may be called from any thread.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  // Appends the ids of `text`, which stands at the beginning or after a special token.
  // REQUIRES: text has fewer than 2^30 bytes.
  virtual void encode(std::string_view text, std::vector<int32_t>* ids) const = 0;

  // The bytes that the normal, unused or byte token `id` stands for.
  virtual std::string bytes_of(int32_t id) const = 0;
};

}  // namespace hb
