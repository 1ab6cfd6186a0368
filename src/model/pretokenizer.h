// Cuts text into words, within which a byte-level tokenizer merges.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/pretokenizer_rules.h"

namespace hb {

// THREADS: split() may be called from any thread.
class Pretokenizer {
 public:
  // ERRORS: kUnsupported if PCRE2 has no Unicode or rejects the rules.
  static Result<std::unique_ptr<Pretokenizer>> create(const PretokenizerRules& rules);
  ~Pretokenizer();

  // The words, in order; together they are `text`, byte for byte. A run of bytes that is no UTF-8 is a word,
  // and ends what is before it. Where a regular expression gives up (its step limit), one character becomes a
  // word: the cut is then not the model's, but nothing is lost.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Regexes;
  explicit Pretokenizer(std::unique_ptr<Regexes> regexes);

  std::unique_ptr<Regexes> regexes_;
};

}  // namespace hb
