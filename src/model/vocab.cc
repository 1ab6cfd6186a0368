#include "model/vocab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hb {
namespace {

constexpr const char* kTokensKey = "tokenizer.ggml.tokens";
constexpr const char* kTypesKey = "tokenizer.ggml.token_type";
constexpr const char* kScoresKey = "tokenizer.ggml.scores";
constexpr size_t kMaxTokens = size_t{1} << 26;  // the largest vocabularies have 2^18

Status require_one_each(const char* key, size_t count, size_t tokens) {
  if (count == tokens) return {};
  return fail(ErrorCode::kBadFile,
              fmt::format("'{}' has {} elements, but '{}' has {}; there must be one for each token", key,
                          count, kTokensKey, tokens));
}

}  // namespace

Result<Vocab> Vocab::from_gguf(const GgufFile& file) {
  Vocab vocab;
  HB_TRY(vocab.read_texts(file));
  HB_TRY(vocab.read_types(file));
  HB_TRY(vocab.read_scores(file));
  HB_TRY(vocab.read_special_ids(file));
  return vocab;
}

Status Vocab::read_texts(const GgufFile& file) {
  const GgufValue* value = file.find(kTokensKey);
  if (value == nullptr) {
    return fail(ErrorCode::kNotFound, fmt::format("'{}' is missing: the file has no vocabulary", kTokensKey));
  }
  if (value->count() > kMaxTokens) {
    return fail(ErrorCode::kUnsupported, fmt::format("'{}' has {} elements; halfbyte reads up to {}",
                                                     kTokensKey, value->count(), kMaxTokens));
  }
  auto texts = value->as_strings();
  if (!texts || texts->empty()) {
    return fail(ErrorCode::kBadFile,
                fmt::format("'{}' at offset {} must be an array of strings, and not empty", kTokensKey,
                            value->file_offset()));
  }
  texts_ = std::move(*texts);
  for (const std::string_view text : texts_) longest_text_bytes_ = std::max(longest_text_bytes_, text.size());
  table_ = TokenTable(texts_);
  return {};
}

Status Vocab::read_types(const GgufFile& file) {
  types_.assign(texts_.size(), TokenType::kNormal);
  const GgufValue* value = file.find(kTypesKey);
  if (value == nullptr) return {};
  HB_TRY(require_one_each(kTypesKey, value->count(), texts_.size()));
  const auto numbers = value->as_integers();
  if (!numbers) {
    return fail(ErrorCode::kBadFile, fmt::format("'{}' at offset {} must be an array of integers", kTypesKey,
                                                 value->file_offset()));
  }
  for (size_t id = 0; id < types_.size(); ++id) {
    const int64_t number = (*numbers)[id];
    if (number < 0 || number > static_cast<int64_t>(TokenType::kByte)) {
      return fail(ErrorCode::kBadFile,
                  fmt::format("'{}': token {} has type {}; types are 0 to 6", kTypesKey, id, number));
    }
    if (number != 0) types_[id] = static_cast<TokenType>(number);  // 0 is "not said"
  }
  return {};
}

Status Vocab::read_scores(const GgufFile& file) {
  const GgufValue* value = file.find(kScoresKey);
  if (value == nullptr) return {};
  HB_TRY(require_one_each(kScoresKey, value->count(), texts_.size()));
  auto scores = value->as_floats();
  if (!scores) {
    return fail(ErrorCode::kBadFile, fmt::format("'{}' at offset {} must be an array of floats", kScoresKey,
                                                 value->file_offset()));
  }
  for (size_t id = 0; id < scores->size(); ++id) {
    if (std::isfinite((*scores)[id])) continue;
    return fail(ErrorCode::kBadFile, fmt::format("'{}': the score of token {} is {}, not a number",
                                                 kScoresKey, id, (*scores)[id]));
  }
  scores_ = std::move(*scores);
  return {};
}

Status Vocab::read_special_ids(const GgufFile& file) {
  const std::pair<const char*, std::optional<int32_t>*> roles[] = {
      {"tokenizer.ggml.bos_token_id", &special_.bos},     {"tokenizer.ggml.eos_token_id", &special_.eos},
      {"tokenizer.ggml.eot_token_id", &special_.eot},     {"tokenizer.ggml.eom_token_id", &special_.eom},
      {"tokenizer.ggml.unknown_token_id", &special_.unk}, {"tokenizer.ggml.padding_token_id", &special_.pad},
  };
  for (const auto& [key, id] : roles) {
    const GgufValue* value = file.find(key);
    if (value == nullptr) continue;
    const auto number = value->as_i64();
    if (!number || *number < 0 || *number >= size()) {
      return fail(ErrorCode::kBadFile,
                  fmt::format("'{}' at offset {} is {}, not the id of one of the {} tokens", key,
                              value->file_offset(), number ? fmt::to_string(*number) : "no integer", size()));
    }
    *id = static_cast<int32_t>(*number);
  }
  return {};
}

}  // namespace hb
