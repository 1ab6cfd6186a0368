// Byte-level byte pair encoding: GPT-2, SmolLM, Llama 3, Qwen 2 and their kin (tokenizer.ggml.model =
// "gpt2").
#pragma once

#include <array>
#include <memory>

#include "base/error.h"
#include "model/gguf.h"
#include "model/pretokenizer.h"
#include "model/symbol_merger.h"
#include "model/text_encoder.h"
#include "model/token_table.h"
#include "model/vocab.h"

namespace hb {

// Text is cut into words (Pretokenizer); in each, bytes merge by rank. Decoding gives back every byte that
// the vocabulary has a token for. Bytes without a token are left out, as the models' own tokenizers do.
// (SmolLM2 lacks 21: some control characters, and bytes that begin no assigned character.)
class BpeEncoder : public TextEncoder {
 public:
  // ERRORS: kNotFound, kBadFile (merges that are no pair, or name tokens that the vocabulary lacks),
  // kUnsupported (an unknown pre-tokenizer).
  static Result<std::unique_ptr<BpeEncoder>> create(const GgufFile& file, const Vocab& vocab,
                                                    const PretokenizerRules& rules);

  void encode(std::string_view text, std::vector<int32_t>* ids) const override;
  std::string bytes_of(int32_t id) const override;

 private:
  explicit BpeEncoder(const Vocab& vocab) : vocab_(vocab) {}
  Status read_merges(const GgufFile& file);
  int32_t whole_word(std::string_view word) const;  // -1: the word is no token
  void encode_word(std::string_view word, SymbolMerger* merger, std::vector<int32_t>* ids) const;

  const Vocab& vocab_;
  std::unique_ptr<Pretokenizer> pretokenizer_;
  bool whole_words_first_ = false;
  std::array<int32_t, 256> byte_ids_{};  // -1: no token
  PairTable merges_;
};

}  // namespace hb
