// Answers: the engine's generator behind C structs.
#include <fmt/format.h>

#include <limits>

#include "api/api_error.h"
#include "api/handles.h"
#include "api/progress.h"
#include "api/sized_struct.h"
#include "engine/generator.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {
namespace {

hb_generate_options make_defaults() {
  const SamplerOptions sampler;
  hb_generate_options options = {};
  options.struct_size = sizeof(options);
  options.seed = sampler.seed;
  options.temperature = sampler.temperature;
  options.top_k = sampler.top_k;
  options.top_p = sampler.top_p;
  options.min_p = sampler.min_p;
  options.typical_p = sampler.typical_p;
  options.repetition_penalty = sampler.repetition_penalty;
  options.frequency_penalty = sampler.frequency_penalty;
  options.presence_penalty = sampler.presence_penalty;
  options.penalty_last_n = sampler.penalty_last_n;
  options.logprobs = sampler.logprobs;
  return options;
}

Result<SamplerOptions> sampler_options(const hb_generate_options& options) {
  HB_TRY(is_array(options.bias_tokens, options.bias_count, "bias_tokens"));
  HB_TRY(is_array(options.bias_values, options.bias_count, "bias_values"));
  SamplerOptions sampler = {
      .repetition_penalty = options.repetition_penalty,
      .frequency_penalty = options.frequency_penalty,
      .presence_penalty = options.presence_penalty,
      .penalty_last_n = options.penalty_last_n,
      .top_k = options.top_k,
      .typical_p = options.typical_p,
      .top_p = options.top_p,
      .min_p = options.min_p,
      .temperature = options.temperature,
      .seed = options.seed,
      .logprobs = options.logprobs,
  };
  for (size_t i = 0; i < options.bias_count; ++i)
    sampler.logit_bias[options.bias_tokens[i]] = options.bias_values[i];
  return sampler;
}

Result<GenerateOptions> engine_options(const hb_generate_options& options) {
  HB_TRY(is_switch(options.ignore_end, "ignore_end"));
  HB_TRY(is_array(options.stops, options.stop_count, "stops"));
  GenerateOptions wanted;
  HB_ASSIGN(wanted.sampler, sampler_options(options));
  wanted.max_tokens = options.max_tokens;
  wanted.ignore_end = options.ignore_end != 0;
  for (size_t i = 0; i < options.stop_count; ++i) {
    HB_TRY(not_null(options.stops[i], fmt::format("stop text {}", i).c_str()));
    wanted.stops.emplace_back(options.stops[i]);
  }
  return wanted;
}

// The engine's events for a C callback. BORROWS the options.
class EventCaller {
 public:
  explicit EventCaller(const hb_generate_options& options) : options_(&options) {}

  bool operator()(const TokenEvent& event) {
    text_ = event.text;
    likeliest_.clear();
    hb_token_event out = {};
    out.struct_size = sizeof(out);
    out.text = text_.c_str();
    out.text_length = text_.size();
    out.token = -1;
    out.logprob = std::numeric_limits<float>::quiet_NaN();
    if (event.token != nullptr) {
      out.token = event.token->id;
      out.logprob = event.token->logprob.value_or(out.logprob);
      for (const TokenLogprob& row : event.token->likeliest) likeliest_.push_back({row.id, row.logprob});
    }
    out.likeliest = likeliest_.data();
    out.likeliest_count = likeliest_.size();
    return options_->on_token(options_->user, &out) == 0;
  }

 private:
  const hb_generate_options* options_;
  std::string text_;
  std::vector<hb_token_logprob> likeliest_;
};

int32_t finish_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEnd:
      return HB_FINISH_END;
    case FinishReason::kLength:
      return HB_FINISH_LENGTH;
    case FinishReason::kStop:
      return HB_FINISH_STOP;
    case FinishReason::kCancelled:
      return HB_FINISH_CANCELLED;
  }
  return HB_FINISH_END;
}

hb_generate_stats stats_of(const Answer& answer) {
  return {
      .struct_size = sizeof(hb_generate_stats),
      .finish = finish_of(answer.finish),
      .prompt_tokens = answer.stats.prompt_tokens,
      .cached_tokens = answer.stats.cached_tokens,
      .decoded_tokens = answer.stats.decoded_tokens,
      .prompt_seconds = answer.stats.prompt_seconds,
      .decode_seconds = answer.stats.decode_seconds,
      .logits_hash = answer.stats.logits_hash,
  };
}

}  // namespace
}  // namespace hb::api

using namespace hb::api;

hb_status hb_generate_options_init(hb_generate_options* options, size_t struct_size) {
  return guarded(nullptr, [&]() -> ApiStatus {
    HB_TRY(not_null(options, "options"));
    return write_struct(make_defaults(), struct_size, options, "hb_generate_options");
  });
}

hb_status hb_generate(hb_session* session, const int32_t* prompt, size_t prompt_count,
                      const hb_generate_options* options, hb_generate_stats* stats, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    HB_TRY(is_array(prompt, prompt_count, "prompt"));
    if (stats != nullptr) HB_TRY(check_struct_size(stats->struct_size, "hb_generate_stats"));
    HB_ASSIGN(const hb_generate_options known, read_struct(options, make_defaults(), "hb_generate_options"));
    HB_ASSIGN(const hb::GenerateOptions wanted, engine_options(known));
    const hb::OnEvent on_event = known.on_token == nullptr ? hb::OnEvent() : EventCaller(known);
    HB_ASSIGN(const hb::Answer answer, hb::generate(held, {prompt, prompt_count}, wanted, on_event,
                                                    session_progress(known.progress, known.user)));
    if (stats != nullptr)
      HB_TRY(write_struct(stats_of(answer), stats->struct_size, stats, "hb_generate_stats"));
    return {};
  });
}
