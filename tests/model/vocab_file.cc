#include "model/vocab_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "model/byte_alphabet.h"
#include "model/gguf_header.h"

namespace hb::test {

void VocabFile::add_merge(const std::string& merge) {
  merges.push_back(merge);
  std::string joined = merge;
  std::erase(joined, ' ');
  if (std::ranges::find(tokens, joined, &Token::text) == tokens.end()) add(joined);
}

std::vector<uint8_t> VocabFile::bytes() const {
  std::vector<std::string> texts;
  std::vector<int32_t> types;
  std::vector<float> scores;
  for (const Token& token : tokens) {
    texts.push_back(token.text);
    types.push_back(static_cast<int32_t>(token.type));
    scores.push_back(token.score);
  }
  GgufHeader header;
  header.set("tokenizer.ggml.model", model);
  header.set("tokenizer.ggml.pre", pre);
  header.set_strings("tokenizer.ggml.tokens", texts);
  header.set_array<int32_t>("tokenizer.ggml.token_type", types);
  if (has_scores) header.set_array<float>("tokenizer.ggml.scores", scores);
  if (model == "gpt2") header.set_strings("tokenizer.ggml.merges", merges);
  for (const auto& [key, value] : flags) header.set("tokenizer.ggml." + key, value);
  for (const auto& [key, value] : numbers) header.set("tokenizer.ggml." + key, value);
  return header.bytes();
}

VocabFile byte_level(const std::vector<std::string>& merges) {
  VocabFile vocab;
  for (int byte = 0; byte < 256; ++byte) vocab.add(std::string(spelling_of_byte(static_cast<uint8_t>(byte))));
  for (const std::string& merge : merges) vocab.add_merge(merge);
  return vocab;
}

VocabFile sentencepiece(const std::vector<std::pair<std::string, float>>& pieces) {
  VocabFile vocab;
  vocab.model = "llama";
  vocab.has_scores = true;
  vocab.numbers["unknown_token_id"] = vocab.add("<unk>", TokenType::kUnknown);
  vocab.numbers["bos_token_id"] = vocab.add("<s>", TokenType::kControl);
  vocab.numbers["eos_token_id"] = vocab.add("</s>", TokenType::kControl);
  for (int byte = 0; byte < 256; ++byte) vocab.add(fmt::format("<0x{:02X}>", byte), TokenType::kByte);
  for (const auto& [text, score] : pieces) vocab.add(text, TokenType::kNormal, score);
  vocab.flags["add_space_prefix"] = false;
  vocab.flags["add_bos_token"] = false;
  return vocab;
}

OwnedTokenizer::OwnedTokenizer(const VocabFile& vocab) : bytes_(vocab.bytes()) {
  auto file = GgufFile::parse(bytes_);
  HB_CHECK(file);
  file_ = std::move(*file);
  auto tokenizer = Tokenizer::from_gguf(*file_);
  if (!tokenizer) fmt::print(stderr, "{}\n", tokenizer.error().message);
  HB_CHECK(tokenizer);
  tokenizer_ = std::move(*tokenizer);
}

std::vector<int32_t> OwnedTokenizer::encode(std::string_view text, EncodeOptions options) const {
  auto ids = tokenizer_->encode(text, options);
  HB_CHECK(ids);
  return *ids;
}

Error error_of(const VocabFile& vocab) {
  const std::vector<uint8_t> bytes = vocab.bytes();
  const auto file = GgufFile::parse(bytes);
  if (!file) return file.error();
  const auto tokenizer = Tokenizer::from_gguf(**file);
  return tokenizer ? Error{ErrorCode::kCancelled, "accepted"} : tokenizer.error();
}

}  // namespace hb::test
