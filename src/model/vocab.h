// The vocabulary that a GGUF file states: texts, types and scores of tokens, and which of them have a role.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/gguf.h"
#include "model/token_table.h"

namespace hb {

// GGUF's own numbers.
enum class TokenType : uint8_t {
  kNormal = 1,
  kUnknown = 2,      // stands for what the vocabulary cannot say
  kControl = 3,      // steers the model, such as <|im_end|>; never text
  kUserDefined = 4,  // text that is always one token
  kUnused = 5,
  kByte = 6,  // one byte, spelled <0x0A>
};

struct SpecialIds {
  std::optional<int32_t> bos, eos, eot, eom, unk, pad;
};

// BORROWS the GgufFile's bytes.
class Vocab {
 public:
  // ERRORS: kNotFound (no tokens), kBadFile (counts that differ, types and ids out of range, scores that are
  // no numbers, …), each with its key.
  static Result<Vocab> from_gguf(const GgufFile& file);
  Vocab(Vocab&&) = default;
  Vocab& operator=(Vocab&&) = default;

  int32_t size() const { return static_cast<int32_t>(texts_.size()); }
  bool contains(int32_t id) const { return id >= 0 && id < size(); }

  // As the file spells them. REQUIRES: contains(id).
  std::string_view text(int32_t id) const { return texts_[id]; }
  TokenType type(int32_t id) const { return types_[id]; }
  float score(int32_t id) const { return scores_[id]; }
  bool has_scores() const { return !scores_.empty(); }

  int32_t find(std::string_view text) const { return table_.find(text); }  // -1: no such token
  size_t longest_text_bytes() const { return longest_text_bytes_; }
  const SpecialIds& special() const { return special_; }

 private:
  Vocab() = default;
  Status read_texts(const GgufFile& file);
  Status read_types(const GgufFile& file);
  Status read_scores(const GgufFile& file);
  Status read_special_ids(const GgufFile& file);

  std::vector<std::string_view> texts_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;  // empty: the file has none
  TokenTable table_;
  size_t longest_text_bytes_ = 0;
  SpecialIds special_;
};

}  // namespace hb
