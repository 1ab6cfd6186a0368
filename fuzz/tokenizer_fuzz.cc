// A vocabulary out of bytes, then text through it: a tokenizer or an error, ids of the vocabulary, and no
// byte lost where every byte has a token.
//
// The input: one byte of choices, one byte with the number of tokens, the tokens (a byte of type and length,
// a byte of score, the text), one byte with the number of merges, the merges (two bytes: tokens to join), the
// text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "model/byte_alphabet.h"
#include "model/gguf_header.h"
#include "model/pretokenizer_rules.h"
#include "model/tokenizer.h"

namespace {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(data, size) {}
  uint8_t byte() {
    const std::string one = text(1);
    return one.empty() ? 0 : static_cast<uint8_t>(one[0]);
  }
  std::string text(size_t size_bytes) {
    const auto taken = rest_.first(std::min(size_bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return std::string(taken.begin(), taken.end());
  }
  std::string rest() { return text(rest_.size()); }

 private:
  std::span<const uint8_t> rest_;
};

struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  std::vector<float> scores;

  void add(std::string text, int32_t type, float score) {
    tokens.push_back(std::move(text));
    types.push_back(type);
    scores.push_back(score);
  }
};

constexpr char kHex[] = "0123456789ABCDEF";

Vocabulary read_vocabulary(Input* input, bool is_spm, bool has_bytes) {
  Vocabulary vocabulary;
  vocabulary.add("<unk>", 2, 0);
  for (int byte = 0; has_bytes && byte < 256; ++byte) {
    if (is_spm) {
      vocabulary.add(std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">", 6, 0);
    } else {
      vocabulary.add(std::string(hb::spelling_of_byte(static_cast<uint8_t>(byte))), 1, 0);
    }
  }
  for (int count = input->byte(); count > 0; --count) {
    const uint8_t shape = input->byte();
    const auto score = static_cast<float>(static_cast<int8_t>(input->byte()));
    vocabulary.add(input->text(shape >> 3), shape & 7, score);
  }
  return vocabulary;
}

std::vector<std::string> read_merges(Input* input, Vocabulary* vocabulary) {
  std::vector<std::string> merges;
  for (int count = input->byte(); count > 0; --count) {
    const std::string left = vocabulary->tokens[input->byte() % vocabulary->tokens.size()];
    const std::string right = vocabulary->tokens[input->byte() % vocabulary->tokens.size()];
    merges.push_back(left + " " + right);
    if (count % 8 != 0 && left.size() + right.size() < 256) vocabulary->add(left + right, 1, 0);
  }
  return merges;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void exercise(const hb::Tokenizer& tokenizer, const std::string& text, bool lossless) {
  for (const bool parse_special : {false, true}) {
    const auto ids = tokenizer.encode(text, {.add_special = true, .parse_special = parse_special});
    require(ids.has_value());
    for (const int32_t id : *ids) require(tokenizer.vocab().contains(id));
    const std::string decoded = tokenizer.decode(*ids, true);
    if (lossless) require(decoded == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const uint8_t choices = input.byte();
  const bool is_spm = choices & 1, has_bytes = choices & 2, prefix = choices & 4, squeeze = choices & 8;
  const auto rules = hb::all_pretokenizer_rules();
  Vocabulary vocabulary = read_vocabulary(&input, is_spm, has_bytes);
  const std::vector<std::string> merges = read_merges(&input, &vocabulary);

  hb::GgufHeader header;
  header.set("tokenizer.ggml.model", is_spm ? "llama" : "gpt2");
  header.set("tokenizer.ggml.pre", rules[(choices >> 4) % rules.size()].names[0]);
  header.set_strings("tokenizer.ggml.tokens", vocabulary.tokens);
  header.set_array<int32_t>("tokenizer.ggml.token_type", vocabulary.types);
  header.set_array<float>("tokenizer.ggml.scores", vocabulary.scores);
  header.set_strings("tokenizer.ggml.merges", merges);
  header.set("tokenizer.ggml.unknown_token_id", int32_t{0});
  header.set("tokenizer.ggml.add_space_prefix", prefix);
  header.set("tokenizer.ggml.remove_extra_whitespaces", squeeze);
  const std::vector<uint8_t> bytes = header.bytes();
  const auto file = hb::GgufFile::parse(bytes);
  require(file.has_value());
  const auto tokenizer = hb::Tokenizer::from_gguf(**file);
  if (!tokenizer) return 0;
  exercise(**tokenizer, input.rest(), has_bytes && !is_spm);
  return 0;
}
