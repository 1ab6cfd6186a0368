#include "model/spm_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <unordered_map>

#include "model/printable.h"
#include "model/symbol_merger.h"
#include "model/utf8.h"

namespace hb {
namespace {

constexpr std::string_view kSpaceSpelling = "\xE2\x96\x81";  // "▁"

// The byte that "<0x0A>" names; -1 if the text is not of that form.
int byte_of_spelling(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  unsigned value = 0;  // unsigned: from_chars then takes no sign
  const char* end = text.data() + 5;
  const auto [stop, error] = std::from_chars(text.data() + 3, end, value, 16);
  return error == std::errc() && stop == end ? static_cast<int>(value) : -1;
}

// Without leading and trailing spaces, and with single spaces within.
std::string squeeze_spaces(std::string_view text) {
  std::string squeezed;
  for (const char c : text) {
    if (c == ' ' && (squeezed.empty() || squeezed.back() == ' ')) continue;
    squeezed += c;
  }
  if (squeezed.ends_with(' ')) squeezed.pop_back();
  return squeezed;
}

std::string spell_spaces(std::string_view text) {
  std::string spelled;
  spelled.reserve(text.size() + text.size() / 2);
  for (const char c : text) {
    if (c == ' ') {
      spelled += kSpaceSpelling;
    } else {
      spelled += c;
    }
  }
  return spelled;
}

// Unsigned numbers in the opposite order of finite floats: the best score is the smallest.
uint32_t merge_order(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // + 0: the two zeros are equal
  const uint32_t ascending = bits >> 31 ? ~bits : bits | 0x80000000u;
  return ~ascending;
}

}  // namespace

Result<std::unique_ptr<SpmEncoder>> SpmEncoder::create(const GgufFile& file, const Vocab& vocab) {
  std::unique_ptr<SpmEncoder> encoder(new SpmEncoder(vocab));
  if (!vocab.has_scores()) {
    return fail(ErrorCode::kNotFound,
                "'tokenizer.ggml.scores' is missing; a 'llama' tokenizer merges by score");
  }
  HB_ASSIGN(encoder->add_space_prefix_, file.get_bool("tokenizer.ggml.add_space_prefix", true));
  HB_ASSIGN(encoder->remove_extra_whitespaces_,
            file.get_bool("tokenizer.ggml.remove_extra_whitespaces", false));
  HB_TRY(encoder->read_byte_tokens());
  return encoder;
}

Status SpmEncoder::read_byte_tokens() {
  byte_ids_.fill(-1);
  for (int32_t id = 0; id < vocab_.size(); ++id) {
    if (vocab_.type(id) != TokenType::kByte) continue;
    const int byte = byte_of_spelling(vocab_.text(id));
    if (byte < 0) {
      return fail(ErrorCode::kBadFile,
                  fmt::format("byte token {} is spelled '{}'; it must be <0x00> to <0xFF>", id,
                              printable(vocab_.text(id))));
    }
    if (byte_ids_[byte] < 0) byte_ids_[byte] = id;
  }
  has_byte_tokens_ = std::ranges::none_of(byte_ids_, [](int32_t id) { return id < 0; });
  if (has_byte_tokens_ || vocab_.special().unk) return {};
  return fail(
      ErrorCode::kBadFile,
      "the vocabulary has neither all 256 byte tokens nor 'tokenizer.ggml.unknown_token_id', so it cannot "
      "spell every text");
}

// One text on its way through the encoder.
class SpmEncoder::Run {
 public:
  Run(const SpmEncoder& encoder, std::string text, std::vector<int32_t>* ids)
      : encoder_(encoder), vocab_(encoder.vocab_), text_(std::move(text)), ids_(ids) {}

  void encode() {
    cut_into_characters();
    merger_.run([this](const Symbol& left, const Symbol& right) { return find_merge(left, right); });
    for (const Symbol& symbol : merger_.symbols) {
      emit(std::string_view(text_).substr(symbol.offset, symbol.size_bytes));
    }
  }

 private:
  void cut_into_characters() {
    const std::string_view text = text_;
    for (uint32_t at = 0; at < text.size();) {
      const Utf8Unit unit = utf8_next(text.substr(at));
      const uint32_t size_bytes = unit.kind == Utf8Kind::kValid ? static_cast<uint32_t>(unit.size_bytes) : 1;
      merger_.symbols.push_back({at, size_bytes, -1});
      at += size_bytes;
    }
  }

  PairMerge find_merge(const Symbol& left, const Symbol& right) {
    const size_t size_bytes = left.size_bytes + right.size_bytes;
    if (size_bytes > vocab_.longest_text_bytes()) return {0, -1};
    const std::string_view joint = std::string_view(text_).substr(left.offset, size_bytes);
    const int32_t id = find_piece(joint);
    if (id < 0) return {0, -1};
    if (vocab_.type(id) == TokenType::kUnused) unused_splits_[joint] = left.size_bytes;
    return {merge_order(vocab_.score(id)), id};
  }

  // Only these are pieces of text; a control token does not arise from text that looks like it.
  int32_t find_piece(std::string_view text) const {
    const int32_t id = vocab_.find(text);
    if (id < 0) return -1;
    const TokenType type = vocab_.type(id);
    const bool is_text =
        type == TokenType::kNormal || type == TokenType::kUnused || type == TokenType::kUserDefined;
    return is_text ? id : -1;
  }

  // Unused tokens take part in merging, and fall apart again in the end.
  void emit(std::string_view piece) {
    pending_.push_back(piece);
    while (!pending_.empty()) {
      const std::string_view next = pending_.back();
      pending_.pop_back();
      const int32_t id = find_piece(next);
      const auto split =
          id >= 0 && vocab_.type(id) == TokenType::kUnused ? unused_splits_.find(next) : unused_splits_.end();
      if (split != unused_splits_.end()) {
        pending_.push_back(next.substr(split->second));
        pending_.push_back(next.substr(0, split->second));
      } else if (id >= 0) {
        push(id, false);
      } else {
        emit_unknown(next);
      }
    }
  }

  void emit_unknown(std::string_view piece) {
    if (!encoder_.has_byte_tokens_) return push(*vocab_.special().unk, true);
    for (const char c : piece) push(encoder_.byte_ids_[static_cast<uint8_t>(c)], false);
  }

  void push(int32_t id, bool unknown) {
    if (!(unknown && after_unknown_)) ids_->push_back(id);
    after_unknown_ = unknown;
  }

  const SpmEncoder& encoder_;
  const Vocab& vocab_;
  const std::string text_;
  std::vector<int32_t>* ids_;
  SymbolMerger merger_;
  // Text of an unused token -> bytes of its left half.
  std::unordered_map<std::string_view, uint32_t> unused_splits_;
  std::vector<std::string_view> pending_;
  bool after_unknown_ = false;
};

void SpmEncoder::encode(std::string_view text, std::vector<int32_t>* ids) const {
  std::string spelled = spell_spaces(remove_extra_whitespaces_ ? squeeze_spaces(text) : std::string(text));
  if (spelled.empty()) return;
  if (add_space_prefix_) spelled.insert(0, kSpaceSpelling);
  Run(*this, std::move(spelled), ids).encode();
}

std::string SpmEncoder::bytes_of(int32_t id) const {
  std::string_view spelling = vocab_.text(id);
  if (vocab_.type(id) == TokenType::kByte) return {static_cast<char>(byte_of_spelling(spelling))};
  std::string bytes;
  while (!spelling.empty()) {
    const bool space = spelling.starts_with(kSpaceSpelling);
    bytes += space ? ' ' : spelling[0];
    spelling.remove_prefix(space ? kSpaceSpelling.size() : 1);
  }
  return bytes;
}

}  // namespace hb
