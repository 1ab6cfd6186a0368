#include "engine/generator.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "engine/stop_strings.h"
#include "model/utf8_stream.h"

namespace hb {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Token pieces to text that may be shown: whole characters, nothing that could be the start of a stop string.
class AnswerText {
 public:
  explicit AnswerText(StopStrings stops) : stops_(std::move(stops)) {}

  // Returns the new text; stopped() tells whether a stop string was met.
  std::string add(std::string_view piece) {
    StopStrings::Passed passed = stops_.feed(characters_.push(piece));
    stopped_ = passed.hit.has_value();
    return std::move(passed.text);
  }
  std::string finish() {
    if (stopped_) return {};
    std::string text = stops_.feed(characters_.finish()).text;
    return text + stops_.finish();
  }
  bool stopped() const { return stopped_; }

 private:
  Utf8Stream characters_;
  StopStrings stops_;
  bool stopped_ = false;
};

struct Run {
  Session& session;
  Sampler sampler;
  AnswerText text;
  const GenerateOptions& options;
  const OnEvent& on_event;
  Answer answer;
  std::deque<int32_t> ahead = {};  // evaluated, and not yet given out
  size_t surplus = 0;              // evaluated, and not part of the answer

  bool emit(std::string text_now, const SampledToken* token) {
    answer.text += text_now;
    return !on_event || on_event({text_now, token});
  }

  bool is_full() const {
    const bool enough = options.max_tokens != 0 && answer.tokens.size() >= options.max_tokens;
    return enough || (ahead.empty() && session.is_full());
  }

  // The token to give out next, which is already evaluated if it comes from `ahead`.
  Result<SampledToken> next_token() {
    if (ahead.empty()) return sampler.sample(session.logits());
    SampledToken token;
    token.id = ahead.front();
    ahead.pop_front();
    return token;
  }

  // Evaluates `token`, and where sampling needs no host, the tokens that follow.
  Status evaluate(int32_t token) {
    uint32_t count = sampler.is_plainly_greedy() ? options.tokens_per_submit : 1;
    if (options.max_tokens != 0) {
      const size_t wanted = options.max_tokens - answer.tokens.size() + 1;
      count = static_cast<uint32_t>(std::min<size_t>(count, wanted));
    }
    if (count <= 1) return session.append({&token, 1});
    HB_ASSIGN(const std::vector<int32_t> chosen, session.append_greedily(token, count));
    ahead.assign(chosen.begin(), chosen.end() - 1);
    return {};
  }

  // One token, if there is room for it. Returns the reason to finish, if there is one.
  Result<std::optional<FinishReason>> step() {
    if (is_full()) return FinishReason::kLength;
    const bool evaluated = !ahead.empty();
    HB_ASSIGN(const SampledToken token, next_token());
    const Tokenizer& tokenizer = session.model().tokenizer();
    if (!options.ignore_end && tokenizer.is_end_of_generation(token.id)) {
      surplus = evaluated ? 1 : 0;
      return FinishReason::kEnd;
    }
    sampler.accept(token.id);
    answer.tokens.push_back(token.id);
    const bool go_on = emit(text.add(tokenizer.piece(token.id)), &token);
    if (!evaluated) HB_TRY(evaluate(token.id));
    if (!go_on) return FinishReason::kCancelled;
    if (text.stopped()) return FinishReason::kStop;
    return std::nullopt;
  }

  // The session forgets what was evaluated beyond the answer.
  Status drop_surplus() {
    const size_t count = surplus + ahead.size(), size = session.tokens().size();
    if (count == 0) return {};
    const int32_t last = session.tokens()[size - count - 1];
    session.truncate(static_cast<uint32_t>(size - count - 1));
    return session.append({&last, 1});  // for its logits
  }
};

}  // namespace

const char* finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEnd:
      return "end";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kCancelled:
      return "cancelled";
  }
  return "";
}

Result<Answer> generate(Session& session, std::span<const int32_t> prompt, const GenerateOptions& options,
                        const OnEvent& on_event, const Session::Progress& progress) {
  if (prompt.empty()) return fail(ErrorCode::kInvalidArgument, "the prompt has no tokens");
  HB_ASSIGN(Sampler sampler,
            Sampler::create(options.sampler, static_cast<int32_t>(session.model().plan().vocab_size)));
  HB_ASSIGN(StopStrings stops, StopStrings::create(options.stops));
  Run run = {session, std::move(sampler), AnswerText(std::move(stops)), options, on_event, {}};
  const auto start = Clock::now();
  HB_ASSIGN(run.answer.stats.cached_tokens, session.set_tokens(prompt, progress));
  for (const int32_t token : prompt) run.sampler.accept(token);
  run.answer.stats.prompt_tokens = static_cast<uint32_t>(prompt.size());
  run.answer.stats.prompt_seconds = seconds_since(start);

  const auto decode_start = Clock::now();
  for (std::optional<FinishReason> finish; !finish;) {
    HB_ASSIGN(finish, run.step());
    if (finish) run.answer.finish = *finish;
  }
  HB_TRY(run.drop_surplus());
  run.answer.stats.decode_seconds = seconds_since(decode_start);
  run.answer.stats.decoded_tokens = static_cast<uint32_t>(run.answer.tokens.size());
  run.answer.stats.logits_hash = hash_logits(session.logits());
  run.emit(run.text.finish(), nullptr);
  return std::move(run.answer);
}

}  // namespace hb
