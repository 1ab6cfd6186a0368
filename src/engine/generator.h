// An answer, token by token: samples, appends, and gives out text as it becomes certain.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/sampler.h"
#include "engine/session.h"

namespace hb {

struct GenerateOptions {
  SamplerOptions sampler;
  uint32_t max_tokens = 0;         // 0: until the model ends, or the context is full
  std::vector<std::string> stops;  // the answer ends before the first of these; they are not part of it
  // Tokens that the device chooses in a row before the host sees them, where sampling is plainly greedy. The
  // answer is the same; it comes in larger pieces, and on_event sees the session ahead of the token.
  uint32_t tokens_per_submit = 1;
  bool ignore_end = false;  // go on past the model's end tokens (benchmarks)
};

enum class FinishReason { kEnd, kLength, kStop, kCancelled };
const char* finish_reason_name(FinishReason reason);  // "end", "length", "stop", "cancelled"

// What one answer took.
struct GenerateStats {
  uint32_t prompt_tokens = 0;  // of the prompt, cached ones included
  uint32_t cached_tokens = 0;  // that were there from before
  uint32_t decoded_tokens = 0;
  double prompt_seconds = 0;
  double decode_seconds = 0;  // from the first sampled token to the last evaluated one
  uint64_t logits_hash = 0;   // of the last logits: equal on every backend, thread count and batch size
};

struct Answer {
  std::vector<int32_t> tokens;  // the end token is not among them
  std::string text;
  FinishReason finish = FinishReason::kEnd;
  GenerateStats stats;
};

struct TokenEvent {
  std::string_view text;      // that became certain with this token; may be empty
  const SampledToken* token;  // null for the text that is flushed at the end
};

// Makes the session hold `prompt` (reusing what is there), then answers. `on_event` is called once a token
// and once at the end; false stops the answer (kCancelled as the finish reason, not an error). The session
// afterwards holds the prompt and the answer.
using OnEvent = std::function<bool(const TokenEvent& event)>;
Result<Answer> generate(Session& session, std::span<const int32_t> prompt, const GenerateOptions& options,
                        const OnEvent& on_event, const Session::Progress& progress = nullptr);

}  // namespace hb
