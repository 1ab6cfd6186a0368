#include "model/special_matcher.h"

#include <algorithm>
#include <utility>

namespace hb {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

}  // namespace

SpecialMatcher::SpecialMatcher(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const Token& token) { return token.text.empty(); });
  std::ranges::sort(tokens_, {}, [](const Token& token) { return std::pair(token.text, token.id); });
  const auto repeated = std::ranges::unique(tokens_, {}, &Token::text);
  tokens_.erase(repeated.begin(), repeated.end());
  for (const Token& token : tokens_) ++first_[byte_at(token.text, 0) + 1];
  for (size_t byte = 0; byte < 256; ++byte) first_[byte + 1] += first_[byte];
}

SpecialMatcher::Match SpecialMatcher::find(std::string_view text, size_t from) const {
  for (size_t at = from; at < text.size(); ++at) {
    if (const Token* token = longest_at(text.substr(at))) return {at, token->text.size(), token->id};
  }
  return {text.size(), 0, -1};
}

// Narrows the sorted range byte by byte, so that a hostile list of tokens costs no more than their longest
// match.
const SpecialMatcher::Token* SpecialMatcher::longest_at(std::string_view text) const {
  const Token* best = nullptr;
  auto begin = tokens_.begin() + first_[byte_at(text, 0)];
  auto end = tokens_.begin() + first_[byte_at(text, 0) + 1];
  for (size_t depth = 1; begin != end; ++depth) {
    if (begin->text.size() == depth) best = &*begin++;
    if (depth == text.size()) break;
    const auto next = [depth](const Token& token) { return byte_at(token.text, depth); };
    const auto range = std::ranges::equal_range(begin, end, byte_at(text, depth), {}, next);
    begin = range.begin();
    end = range.end();
  }
  return best;
}

}  // namespace hb
