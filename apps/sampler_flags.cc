#include "apps/sampler_flags.h"

#include <fmt/format.h>

#include <charconv>

namespace hb {
namespace {

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void add_sampler_flags(CLI::App& command, SamplerFlags& flags) {
  const std::string group = "Sampling";
  SamplerOptions& sampler = flags.generate.sampler;
  const auto option = [&](const std::string& name, auto& value, const std::string& help) {
    command.add_option(name, value, help)->group(group)->capture_default_str();
  };
  option("-n,--n-predict", flags.generate.max_tokens,
         "Tokens of the answer at most; 0: until the context is full");
  command
      .add_option("--tokens-per-submit", flags.generate.tokens_per_submit,
                  "Tokens that a GPU chooses in a row, with --temp 0; changes no result")
      ->group(group)
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  command.add_option("--stop", flags.generate.stops, "End the answer before this text; may be repeated")
      ->group(group)
      ->allow_extra_args(false);
  option("-s,--seed", sampler.seed, "Of the random choices: the same seed gives the same answer");
  option("--temp", sampler.temperature, "Temperature; 0: always the likeliest token");
  option("--top-k", sampler.top_k, "Choose among the k likeliest tokens; 0: off");
  option("--top-p", sampler.top_p, "Choose among the likeliest tokens up to this probability; 1: off");
  option("--min-p", sampler.min_p,
         "Drop tokens below this fraction of the likeliest one's probability; 0: off");
  option("--typical-p", sampler.typical_p, "Keep tokens of typical surprise, up to this probability; 1: off");
  option("--repeat-penalty", sampler.repetition_penalty, "Against tokens of the window; 1: off");
  option("--frequency-penalty", sampler.frequency_penalty, "For each time in the window; 0: off");
  option("--presence-penalty", sampler.presence_penalty, "For being in the window; 0: off");
  option("--repeat-last-n", sampler.penalty_last_n, "Tokens in the window of the penalties");
  command
      .add_option("--logit-bias", flags.logit_bias,
                  "ID=VALUE adds to a token's logit; -inf bans it; may be repeated")
      ->group(group)
      ->allow_extra_args(false);
  command.add_flag("--ignore-end", flags.generate.ignore_end, "Go on where the model would end")
      ->group(group);
}

Result<GenerateOptions> generate_options(const SamplerFlags& flags) {
  GenerateOptions options = flags.generate;
  for (const std::string& text : flags.logit_bias) {
    const size_t equals = text.find('=');
    int32_t id = 0;
    float bias = 0;
    const bool valid = equals != text.npos && parse_whole(std::string_view(text).substr(0, equals), id) &&
                       parse_whole(std::string_view(text).substr(equals + 1), bias);
    if (!valid) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--logit-bias '{}' is not ID=VALUE, as in 42=-1.5 or 42=-inf", text));
    }
    options.sampler.logit_bias[id] = bias;
  }
  return options;
}

}  // namespace hb
