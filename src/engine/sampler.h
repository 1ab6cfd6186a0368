// From logits to a token: the same logits, options and history give the same token on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/candidates.h"
#include "engine/sampler_options.h"

namespace hb {

struct TokenLogprob {
  int32_t id = 0;
  float logprob = 0.0f;  // natural logarithm
};

// Log-probabilities are the model's own: of the logits as given, before bias, penalties, filters and
// temperature.
//
// BORROWS `likeliest` from the Sampler, until its next sample().
struct SampledToken {
  int32_t id = 0;
  std::optional<float> logprob;             // if asked for
  std::span<const TokenLogprob> likeliest;  // the n likeliest, if asked for, best first
};

// All that a sampler remembers between tokens; with the options, enough to continue the stream.
struct SamplerState {
  uint64_t accepted = 0;        // tokens accepted so far, the index of the next draw
  std::vector<int32_t> window;  // the last accepted tokens, oldest first, at most penalty_last_n
};

// The draw is keyed by (seed, number of accepted tokens): sample() itself changes nothing, so asking twice
// gives the same token, and a speculated token that is not accepted leaves no trace.
//
// THREADS: one at a time.
class Sampler {
 public:
  // ERRORS: those of validate(); kUnsupported for a vocabulary above kMaxVocabulary.
  static Result<Sampler> create(SamplerOptions options, int32_t vocab_size);

  // logits: (vocab_size) f32. No allocation once the first tokens have sized the buffers.
  // ERRORS: kDevice if a logit is not finite; kInvalidArgument if the biases ban every token.
  Result<SampledToken> sample(std::span<const float> logits);

  // True if sample() only takes the largest logit, whatever came before.
  bool is_plainly_greedy() const {
    return options_.temperature == 0.0f && options_.logit_bias.empty() && !has_penalties() &&
           options_.logprobs == kNoLogprobs;
  }

  // The token (of the prompt, or chosen) joins the history. REQUIRES: 0 <= id < vocab_size.
  void accept(int32_t id);

  // Forgets the history: the next draw is the first of the stream again.
  void reset();

  SamplerState state() const;
  // ERRORS: kBadFile if the state holds ids that the vocabulary has not; the sampler is then unchanged.
  Status restore(const SamplerState& state);

  const SamplerOptions& options() const { return options_; }

 private:
  Sampler(SamplerOptions options, int32_t vocab_size);

  bool has_penalties() const { return !counts_.empty(); }
  void push(int32_t id);
  Result<int32_t> choose(std::span<const float> logits, const Largest& top);
  int32_t draw(std::span<const float> logits, float largest_logit);
  void adjust(std::span<const float> logits);
  float penalised(float logit, uint32_t count) const;
  void add_logprobs(std::span<const float> logits, float largest_logit, SampledToken& token);

  SamplerOptions options_;
  int32_t vocab_size_ = 0;
  uint64_t accepted_ = 0;
  std::vector<int32_t> window_;   // a ring of at most penalty_last_n ids
  size_t oldest_ = 0;             // in window_, once it is full
  std::vector<uint32_t> counts_;  // (vocab_size): how often an id is in window_; empty if no penalty is on
  std::vector<float> adjusted_;   // logits after bias and penalties
  Candidates candidates_;
  std::vector<uint32_t> order_;
  std::vector<TokenLogprob> likeliest_;
};

}  // namespace hb
