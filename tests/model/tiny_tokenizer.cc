#include "model/tiny_tokenizer.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hb::test {
namespace {

// GGUF's numbers for the types of tokens.
enum TokenType : int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kUnused = 5, kByte = 6 };

struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  std::vector<float> scores;

  void add(std::string token, TokenType type, float score = 0.0f) {
    tokens.push_back(std::move(token));
    types.push_back(type);
    scores.push_back(score);
  }
  void fill_up(uint32_t size) {
    HB_CHECK_LE(tokens.size(), size);
    while (tokens.size() < size) add(fmt::format("<unused{}>", tokens.size()), kUnused, -1000.0f);
  }
};

std::string utf8(uint32_t code_point) {
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xc0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 0x3f))};
}

// GPT-2's visible stand-in for a byte: itself if it is printable Latin-1, otherwise the next code point from
// 256 on.
std::string byte_symbol(uint32_t byte) {
  const auto is_visible = [](uint32_t b) { return (b >= 33 && b <= 126) || (b >= 161 && b != 173); };
  if (is_visible(byte)) return utf8(byte);
  uint32_t hidden_before = 0;
  for (uint32_t b = 0; b < byte; ++b) hidden_before += !is_visible(b);
  return utf8(256 + hidden_before);
}

constexpr const char* kChatMl =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + "
    "'<|im_end|>' + "
    "'\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

}  // namespace

void add_tiny_bpe(GgufHeader* header, uint32_t vocab) {
  Vocabulary words;
  for (const char* token : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) words.add(token, kControl);
  for (uint32_t byte = 0; byte < 256; ++byte) words.add(byte_symbol(byte), kNormal);
  const std::string space = byte_symbol(' ');
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {space, "t"}, {"h", "e"}, {space + "t", "he"}, {"i", "n"}, {"e", "r"}, {space, "a"}, {"in", "g"}};
  std::vector<std::string> merges;
  for (const auto& [left, right] : pairs) {
    words.add(left + right, kNormal);
    merges.push_back(left + " " + right);
  }
  words.fill_up(vocab);
  header->set("tokenizer.ggml.model", "gpt2");
  header->set("tokenizer.ggml.pre", "smollm");
  header->set_strings("tokenizer.ggml.tokens", words.tokens);
  header->set_array<int32_t>("tokenizer.ggml.token_type", words.types);
  header->set_strings("tokenizer.ggml.merges", merges);
  header->set("tokenizer.ggml.bos_token_id", uint32_t{1});
  header->set("tokenizer.ggml.eos_token_id", uint32_t{2});
  header->set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  header->set("tokenizer.ggml.add_bos_token", false);
  header->set("tokenizer.ggml.add_space_prefix", false);
  header->set("tokenizer.chat_template", kChatMl);
}

void add_tiny_spm(GgufHeader* header, uint32_t vocab) {
  Vocabulary words;
  for (const char* token : {"<pad>", "<eos>", "<bos>"}) words.add(token, kControl);
  words.add("<unk>", kUnknown);
  for (uint32_t byte = 0; byte < 256; ++byte) words.add(fmt::format("<0x{:02X}>", byte), kByte);
  const std::vector<std::string> pieces = {"\u2581", "t",  "h",       "e",         "i",
                                           "n",      "he", "\u2581t", "\u2581the", "in"};
  for (size_t i = 0; i < pieces.size(); ++i) words.add(pieces[i], kNormal, -1.0f - static_cast<float>(i));
  words.fill_up(vocab);
  header->set("tokenizer.ggml.model", "llama");
  header->set("tokenizer.ggml.pre", "default");
  header->set_strings("tokenizer.ggml.tokens", words.tokens);
  header->set_array<float>("tokenizer.ggml.scores", words.scores);
  header->set_array<int32_t>("tokenizer.ggml.token_type", words.types);
  header->set("tokenizer.ggml.bos_token_id", uint32_t{2});
  header->set("tokenizer.ggml.eos_token_id", uint32_t{1});
  header->set("tokenizer.ggml.unknown_token_id", uint32_t{3});
  header->set("tokenizer.ggml.padding_token_id", uint32_t{0});
  header->set("tokenizer.ggml.add_bos_token", true);
  header->set("tokenizer.ggml.add_eos_token", false);
  header->set("tokenizer.ggml.add_space_prefix", false);
}

}  // namespace hb::test
