// Text to token ids and back, as the model in a GGUF file was trained to see it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/gguf.h"
#include "model/special_matcher.h"
#include "model/text_encoder.h"
#include "model/vocab.h"

namespace hb {

struct EncodeOptions {
  bool add_special = true;     // begin and end tokens, as the model wants them
  bool parse_special = false;  // "<|im_end|>" in the text is that token; otherwise it is ordinary text
};

// BORROWS the GgufFile's bytes: it outlives the Tokenizer.
// THREADS: all methods may be called from any thread.
class Tokenizer {
 public:
  // ERRORS: kNotFound, kBadFile (a vocabulary that contradicts itself: see Vocab, BpeEncoder, SpmEncoder),
  // kUnsupported (another kind of tokenizer, an unknown pre-tokenizer).
  static Result<std::unique_ptr<Tokenizer>> from_gguf(const GgufFile& file);

  // Any bytes are accepted. Tokens that are matched as whole texts (user-defined ones always, control tokens
  // with parse_special) are found first, leftmost and of these the longest. ERRORS: kInvalidArgument for a
  // text of 2^30 bytes and more.
  Result<std::vector<int32_t>> encode(std::string_view text, EncodeOptions options = {}) const;

  // The bytes of one token; they may end within a character (see Utf8Stream). Control and unknown tokens are
  // nothing, or with `render_control` their spelling. An id outside the vocabulary is nothing.
  std::string piece(int32_t id, bool render_control = false) const;

  // The pieces in a row, without the space that encode() put in front.
  std::string decode(std::span<const int32_t> ids, bool render_control = false) const;

  const Vocab& vocab() const { return vocab_; }
  int32_t vocab_size() const { return vocab_.size(); }
  std::optional<int32_t> bos() const { return vocab_.special().bos; }
  std::optional<int32_t> eos() const { return vocab_.special().eos; }
  std::optional<int32_t> eot() const { return vocab_.special().eot; }
  std::optional<int32_t> unk() const { return vocab_.special().unk; }
  std::optional<int32_t> pad() const { return vocab_.special().pad; }

  // What add_special does.
  bool adds_bos() const { return add_bos_; }
  bool adds_eos() const { return add_eos_; }

  // True of tokens that end an answer: the file's eos, eot and eom, and known end tokens by their spelling.
  bool is_end_of_generation(int32_t id) const;
  bool is_control(int32_t id) const;  // control or unknown: not text

 private:
  explicit Tokenizer(Vocab vocab) : vocab_(std::move(vocab)) {}
  Status create_encoder(const GgufFile& file);
  void collect_special_tokens();
  void encode_parts(std::string_view text, bool parse_special, std::vector<int32_t>* ids) const;

  Vocab vocab_;
  std::unique_ptr<TextEncoder> encoder_;
  SpecialMatcher user_defined_;
  SpecialMatcher all_special_;    // user-defined and control
  std::vector<int32_t> end_ids_;  // sorted
  bool add_bos_ = false;
  bool add_eos_ = false;
  bool strips_leading_space_ = false;
};

}  // namespace hb
