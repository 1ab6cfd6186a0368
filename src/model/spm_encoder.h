// SentencePiece's byte pair encoding: Llama 1 and 2, Gemma (tokenizer.ggml.model = "llama").
#pragma once

#include <array>
#include <memory>

#include "base/error.h"
#include "model/gguf.h"
#include "model/text_encoder.h"
#include "model/vocab.h"

namespace hb {

// Spaces are spelled "▁" (U+2581); the neighbours whose joint text has the best score merge first. What ends
// up as no token is spelled in byte tokens, or, in a vocabulary without them, becomes the unknown token once
// a run. Bytes that are no UTF-8 are kept, each a symbol of its own.
class SpmEncoder : public TextEncoder {
 public:
  // ERRORS: kBadFile (no scores; byte tokens that name no byte; neither 256 byte tokens nor an unknown
  // token).
  static Result<std::unique_ptr<SpmEncoder>> create(const GgufFile& file, const Vocab& vocab);

  void encode(std::string_view text, std::vector<int32_t>* ids) const override;
  std::string bytes_of(int32_t id) const override;

 private:
  class Run;
  explicit SpmEncoder(const Vocab& vocab) : vocab_(vocab) {}
  Status read_byte_tokens();

  const Vocab& vocab_;
  bool add_space_prefix_ = true;
  bool remove_extra_whitespaces_ = false;
  bool has_byte_tokens_ = false;
  std::array<int32_t, 256> byte_ids_{};
};

}  // namespace hb
