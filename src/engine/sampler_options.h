// What a user may ask of the sampler, and the ranges that are accepted.
#pragma once

#include <cstdint>
#include <map>

#include "base/error.h"

namespace hb {

inline constexpr int32_t kNoLogprobs = -1;

// The chain runs in the order of the members, whatever the order in which they were set:
//   logit bias, repetition, frequency and presence penalty, then greedy if temperature is 0, else
//   top-k, typical-p, top-p, min-p, temperature, draw.
// The temperature comes last, so that what the filters remove does not depend on it. The defaults filter
// nothing.
struct SamplerOptions {
  std::map<int32_t, float> logit_bias = {};  // added to the logit of a token; -infinity bans the token

  float repetition_penalty = 1.0f;  // divides positive logits, multiplies negative ones; 1 is off
  float frequency_penalty = 0.0f;   // times the token's count in the window, subtracted; 0 is off
  float presence_penalty = 0.0f;    // subtracted once if the token is in the window; 0 is off
  int32_t penalty_last_n = 64;      // tokens in the window of the three penalties; 0 is off

  int32_t top_k = 0;  // keeps the k likeliest tokens; 0 is off
  float typical_p =
      1.0f;            // keeps the tokens nearest to the expected surprise, up to this probability; 1 is off
  float top_p = 1.0f;  // keeps the likeliest tokens, up to this probability; 1 is off; 0 keeps one
  float min_p = 0.0f;  // removes tokens below this fraction of the likeliest one's probability; 0 is off

  float temperature = 0.8f;  // divides the logits; 0 is greedy: the largest logit, ties to the lowest id
  uint64_t seed = 0;

  int32_t logprobs = kNoLogprobs;  // 0: the log-probability of the chosen token; n: of the n likeliest too
};

// ERRORS: kInvalidArgument with the option's name, its value and the allowed range. `vocab_size` bounds the
// ids of the logit bias.
Status validate(const SamplerOptions& options, int32_t vocab_size);

}  // namespace hb
