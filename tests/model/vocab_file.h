// Model files with a small vocabulary and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/gguf.h"
#include "model/tokenizer.h"

namespace hb::test {

// What a file states; every member can be made wrong.
struct VocabFile {
  struct Token {
    std::string text;
    TokenType type = TokenType::kNormal;
    float score = 0;
  };

  std::string model = "gpt2";
  std::string pre = "gpt-2";
  std::vector<Token> tokens;
  std::vector<std::string> merges;
  std::map<std::string, bool> flags;  // keys without "tokenizer.ggml."
  std::map<std::string, int32_t> numbers;
  bool has_scores = false;

  int32_t add(std::string text, TokenType type = TokenType::kNormal, float score = 0) {
    tokens.push_back({std::move(text), type, score});
    return static_cast<int32_t>(tokens.size()) - 1;
  }
  // "a b": the merge, and the token "ab" if it is not there.
  void add_merge(const std::string& merge);

  std::vector<uint8_t> bytes() const;
};

// 256 byte tokens (ids 0 to 255 are the bytes) and these merges, under gpt-2's pre-tokenizer.
VocabFile byte_level(const std::vector<std::string>& merges = {});

// <unk> <s> </s>, 256 byte tokens (byte b is token 3 + b), then these pieces; no space prefix, no begin
// token.
VocabFile sentencepiece(const std::vector<std::pair<std::string, float>>& pieces = {});

// A tokenizer with the bytes that it borrows.
class OwnedTokenizer {
 public:
  // Fails the test and ends the process if the vocabulary is refused.
  explicit OwnedTokenizer(const VocabFile& vocab);
  const Tokenizer* operator->() const { return tokenizer_.get(); }

  std::vector<int32_t> encode(std::string_view text, EncodeOptions options = {}) const;

 private:
  std::vector<uint8_t> bytes_;
  std::unique_ptr<GgufFile> file_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

// What from_gguf() says to a vocabulary that it must refuse; "accepted" if it does not.
Error error_of(const VocabFile& vocab);

}  // namespace hb::test
