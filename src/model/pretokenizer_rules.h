// The published pre-tokenizers: how each family of byte-level models cuts text into words.
#pragma once

#include <span>
#include <string_view>

namespace hb {

struct PretokenizerRules {
  std::span<const std::string_view> names;  // values of tokenizer.ggml.pre
  std::span<const char* const> stages;  // regular expressions, each applied to the pieces of the one before
  bool whole_words_first = false;       // a word that is a token is that token, whatever the merges say
  bool add_bos = false;                 // unless the file says otherwise
};

// Null if no family has that name.
const PretokenizerRules* find_pretokenizer_rules(std::string_view name);

// All names, for messages and tests.
std::span<const PretokenizerRules> all_pretokenizer_rules();

}  // namespace hb
