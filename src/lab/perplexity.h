// Perplexity of a model on a text, by the definition that makes figures comparable with other engines': the
// text is one stream of tokens, cut into chunks; each chunk is read from an empty cache and the tokens of its
// second half are scored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/session.h"
#include "model/tokenizer.h"

namespace hb {

// Negative log-likelihoods, in nats, of the tokens scored so far.
class PerplexityScore {
 public:
  void add(double nll) {
    sum_ += nll;
    sum_of_squares_ += nll * nll;
    ++count_;
  }
  uint64_t count() const { return count_; }
  double perplexity() const;      // e^mean; 1 without tokens
  double standard_error() const;  // of the perplexity; 0 with fewer than two tokens

 private:
  double sum_ = 0;
  double sum_of_squares_ = 0;
  uint64_t count_ = 0;
};

// The natural logarithm of the probability that `logits` give to `token`, the same on every machine.
// REQUIRES: finite logits; a token among them.
double log_probability(std::span<const float> logits, int32_t token);

// `tokens`, which begin as the model wants, in chunks of `length`; what is left at the end is dropped. If the
// model has a begin token, it takes the place of each chunk's first one. ERRORS: kInvalidArgument for a
// length below 4, and for tokens that fill no chunk.
Result<std::vector<std::vector<int32_t>>> perplexity_chunks(std::span<const int32_t> tokens, uint32_t length,
                                                            const Tokenizer& tokenizer);

// Reads a chunk of n tokens into the emptied session and scores its tokens n/2 + 1 to n - 1.
// ERRORS: those of Session; kDevice for a logit that is not finite.
Status score_chunk(Session& session, std::span<const int32_t> chunk, PerplexityScore& score);

}  // namespace hb
