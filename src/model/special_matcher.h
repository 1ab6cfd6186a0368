// Finds tokens that are matched as whole texts, before any other tokenizing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hb {

// BORROWS the texts.
class SpecialMatcher {
 public:
  struct Token {
    std::string_view text;
    int32_t id;
  };
  struct Match {
    size_t offset;  // the end of the text if there is none
    size_t size_bytes;
    int32_t id;
  };

  SpecialMatcher() = default;
  // Of equal texts, the lowest id counts. Empty texts never match.
  explicit SpecialMatcher(std::vector<Token> tokens);

  // The first place in text[from..] where a token begins, and the longest token there.
  Match find(std::string_view text, size_t from) const;

 private:
  // The longest token that `text` begins with, or null.
  const Token* longest_at(std::string_view text) const;

  std::vector<Token> tokens_;          // sorted by text
  std::array<uint32_t, 257> first_{};  // tokens that begin with byte b: [first_[b], first_[b + 1])
};

}  // namespace hb
