#include "model/bpe_encoder.h"

#include <fmt/format.h>

#include "model/byte_alphabet.h"
#include "model/printable.h"

namespace hb {
namespace {

constexpr const char* kMergesKey = "tokenizer.ggml.merges";

std::unexpected<Error> bad_merge(size_t index, std::string_view merge, const std::string& what) {
  return fail(ErrorCode::kBadFile,
              fmt::format("'{}': merge {} '{}' {}", kMergesKey, index, printable(merge), what));
}

}  // namespace

Result<std::unique_ptr<BpeEncoder>> BpeEncoder::create(const GgufFile& file, const Vocab& vocab,
                                                       const PretokenizerRules& rules) {
  std::unique_ptr<BpeEncoder> encoder(new BpeEncoder(vocab));
  HB_ASSIGN(encoder->pretokenizer_, Pretokenizer::create(rules));
  encoder->whole_words_first_ = rules.whole_words_first;
  for (int byte = 0; byte < 256; ++byte) {
    encoder->byte_ids_[byte] = vocab.find(spelling_of_byte(static_cast<uint8_t>(byte)));
  }
  HB_TRY(encoder->read_merges(file));
  return encoder;
}

// A merge that names a missing token is refused, not skipped: no trainer writes one, and the ids of the text
// around it would silently differ from the model's.
Status BpeEncoder::read_merges(const GgufFile& file) {
  const GgufValue* value = file.find(kMergesKey);
  if (value == nullptr) return fail(ErrorCode::kNotFound, fmt::format("'{}' is missing", kMergesKey));
  const auto merges = value->as_strings();
  if (!merges) {
    return fail(ErrorCode::kBadFile, fmt::format("'{}' at offset {} must be an array of strings", kMergesKey,
                                                 value->file_offset()));
  }
  merges_ = PairTable(merges->size());
  std::string joined;
  for (size_t rank = 0; rank < merges->size(); ++rank) {
    const std::string_view merge = (*merges)[rank];
    const size_t space = merge.find(' ', 1);
    if (space == merge.npos || space + 1 == merge.size())
      return bad_merge(rank, merge, "is not two tokens and a space");
    const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
    joined.assign(left).append(right);
    const int32_t left_id = vocab_.find(left), right_id = vocab_.find(right), id = vocab_.find(joined);
    if (left_id < 0 || right_id < 0 || id < 0) {
      const std::string_view missing = left_id < 0 ? left : right_id < 0 ? right : joined;
      return bad_merge(rank, merge,
                       fmt::format("needs the token '{}', which the vocabulary lacks", printable(missing)));
    }
    merges_.insert(left_id, right_id, {static_cast<uint32_t>(rank), id});
  }
  return {};
}

void BpeEncoder::encode(std::string_view text, std::vector<int32_t>* ids) const {
  SymbolMerger merger;
  for (const std::string_view word : pretokenizer_->split(text)) {
    const int32_t id = whole_words_first_ ? whole_word(word) : -1;
    if (id >= 0) {
      ids->push_back(id);
    } else {
      encode_word(word, &merger, ids);
    }
  }
}

int32_t BpeEncoder::whole_word(std::string_view word) const {
  if (word.size() > vocab_.longest_text_bytes()) return -1;
  std::string spelling;
  for (const char c : word) spelling += spelling_of_byte(static_cast<uint8_t>(c));
  const int32_t id = vocab_.find(spelling);
  return id >= 0 && vocab_.type(id) == TokenType::kNormal ? id : -1;
}

void BpeEncoder::encode_word(std::string_view word, SymbolMerger* merger, std::vector<int32_t>* ids) const {
  merger->symbols.clear();
  for (uint32_t at = 0; at < word.size(); ++at) {
    const int32_t id = byte_ids_[static_cast<uint8_t>(word[at])];
    if (id >= 0) merger->symbols.push_back({at, 1, id});
  }
  merger->run([this](const Symbol& left, const Symbol& right) {
    const PairTable::Merge merge = merges_.find(left.id, right.id);
    return PairMerge{merge.rank, merge.id};
  });
  for (const Symbol& symbol : merger->symbols) ids->push_back(symbol.id);
}

std::string BpeEncoder::bytes_of(int32_t id) const {
  const std::string_view spelling = vocab_.text(id);
  return bytes_of_spelling(spelling).value_or(std::string(spelling));
}

}  // namespace hb
