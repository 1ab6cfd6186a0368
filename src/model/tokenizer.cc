#include "model/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/bpe_encoder.h"
#include "model/printable.h"
#include "model/spm_encoder.h"

namespace hb {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;

// Files of chat models often name only one of their end tokens.
constexpr std::string_view kEndSpellings[] = {
    "<|eot_id|>",         "<|im_end|>",    "<|end|>", "<|return|>",    "<|call|>",
    "<|eom_id|>",         "<end_of_turn>", "</s>",    "<|endoftext|>", "<|end_of_text|>",
    "<end_of_utterance>", "<eos>",         "<EOT>",
};

// An optional role: true only if asked for, by the file or by `fallback`. Asking for a token that is not
// there is an error if the file does it.
Result<bool> read_add_flag(const GgufFile& file, const char* key, bool fallback, std::optional<int32_t> id) {
  HB_ASSIGN(const bool wanted, file.get_bool(key, fallback));
  if (!wanted || id) return wanted;
  if (file.find(key) == nullptr) return false;
  return fail(ErrorCode::kBadFile, fmt::format("'{}' is true, but the file names no such token", key));
}

Result<const PretokenizerRules*> read_rules(const GgufFile& file) {
  constexpr const char* kKey = "tokenizer.ggml.pre";
  std::string name = "default";
  if (file.find(kKey) != nullptr) {
    HB_ASSIGN(name, file.get_string(kKey));
  }
  const PretokenizerRules* rules = find_pretokenizer_rules(name);
  if (rules != nullptr) return rules;
  std::string known;
  for (const PretokenizerRules& each : all_pretokenizer_rules()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.names[0]);
  }
  return fail(ErrorCode::kUnsupported, fmt::format("'{}' is '{}'; halfbyte knows {} and names for the same",
                                                   kKey, printable(name), known));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::from_gguf(const GgufFile& file) {
  HB_ASSIGN(Vocab vocab, Vocab::from_gguf(file));
  std::unique_ptr<Tokenizer> tokenizer(new Tokenizer(std::move(vocab)));
  HB_TRY(tokenizer->create_encoder(file));
  tokenizer->collect_special_tokens();
  return tokenizer;
}

Status Tokenizer::create_encoder(const GgufFile& file) {
  constexpr const char* kKey = "tokenizer.ggml.model";
  HB_ASSIGN(const std::string kind, file.get_string(kKey));
  bool add_bos = false;
  if (kind == "gpt2") {
    HB_ASSIGN(const PretokenizerRules* rules, read_rules(file));
    HB_ASSIGN(encoder_, BpeEncoder::create(file, vocab_, *rules));
    add_bos = rules->add_bos;
  } else if (kind == "llama") {
    HB_ASSIGN(encoder_, SpmEncoder::create(file, vocab_));
    HB_ASSIGN(strips_leading_space_, file.get_bool("tokenizer.ggml.add_space_prefix", true));
    add_bos = true;
  } else {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("'{}' is '{}'; halfbyte has 'gpt2' (byte-level BPE) and 'llama' (SentencePiece BPE)",
                    kKey, printable(kind)));
  }
  HB_ASSIGN(add_bos_, read_add_flag(file, "tokenizer.ggml.add_bos_token", add_bos, bos()));
  HB_ASSIGN(add_eos_, read_add_flag(file, "tokenizer.ggml.add_eos_token", false, eos()));
  return {};
}

void Tokenizer::collect_special_tokens() {
  std::vector<SpecialMatcher::Token> user_defined, all;
  for (int32_t id = 0; id < vocab_.size(); ++id) {
    const bool is_user_defined = vocab_.type(id) == TokenType::kUserDefined;
    if (is_user_defined) user_defined.push_back({vocab_.text(id), id});
    if (is_user_defined || is_control(id)) all.push_back({vocab_.text(id), id});
  }
  for (const SpecialMatcher::Token& token : all) {
    if (std::ranges::find(kEndSpellings, token.text) != std::end(kEndSpellings)) end_ids_.push_back(token.id);
  }
  for (const auto id : {vocab_.special().eos, vocab_.special().eot, vocab_.special().eom}) {
    if (id) end_ids_.push_back(*id);
  }
  std::ranges::sort(end_ids_);
  user_defined_ = SpecialMatcher(std::move(user_defined));
  all_special_ = SpecialMatcher(std::move(all));
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  if (text.size() >= kMaxTextBytes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a text of {} bytes is too long to tokenize at once; the limit is {}",
                            text.size(), kMaxTextBytes));
  }
  std::vector<int32_t> ids;
  if (options.add_special && add_bos_) ids.push_back(*bos());
  encode_parts(text, options.parse_special, &ids);
  if (options.add_special && add_eos_) ids.push_back(*eos());
  return ids;
}

void Tokenizer::encode_parts(std::string_view text, bool parse_special, std::vector<int32_t>* ids) const {
  const SpecialMatcher& matcher = parse_special ? all_special_ : user_defined_;
  for (size_t at = 0; at < text.size();) {
    const SpecialMatcher::Match match = matcher.find(text, at);
    if (match.offset > at) encoder_->encode(text.substr(at, match.offset - at), ids);
    if (match.id >= 0) ids->push_back(match.id);
    at = match.offset + match.size_bytes;
  }
}

std::string Tokenizer::piece(int32_t id, bool render_control) const {
  if (!vocab_.contains(id) || (is_control(id) && !render_control)) return {};
  if (is_control(id) || vocab_.type(id) == TokenType::kUserDefined) return std::string(vocab_.text(id));
  return encoder_->bytes_of(id);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool render_control) const {
  std::string text;
  bool leads = strips_leading_space_;
  for (const int32_t id : ids) {
    const std::string bytes = piece(id, render_control);
    const bool is_special =
        vocab_.contains(id) && (is_control(id) || vocab_.type(id) == TokenType::kUserDefined);
    text += leads && !is_special && bytes.starts_with(' ') ? std::string_view(bytes).substr(1) : bytes;
    leads = strips_leading_space_ && is_special;
  }
  return text;
}

bool Tokenizer::is_end_of_generation(int32_t id) const { return std::ranges::binary_search(end_ids_, id); }

bool Tokenizer::is_control(int32_t id) const {
  if (!vocab_.contains(id)) return false;
  return vocab_.type(id) == TokenType::kControl || vocab_.type(id) == TokenType::kUnknown;
}

}  // namespace hb
