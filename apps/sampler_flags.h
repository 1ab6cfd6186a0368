// The sampler's flags, the same for every command that answers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/generator.h"

namespace hb {

// What a person expects of a small chat model: close to the likeliest words, and the same answer to the same
// command, since the seed is fixed. The engine's own defaults filter nothing.
struct SamplerFlags {
  GenerateOptions generate = {
      .sampler = {.top_p = 0.9f, .temperature = 0.2f}, .max_tokens = 512, .stops = {}};
  std::vector<std::string> logit_bias;  // "ID=VALUE"
};

void add_sampler_flags(CLI::App& command, SamplerFlags& flags);

// ERRORS: kInvalidArgument for a logit bias that is not ID=VALUE.
Result<GenerateOptions> generate_options(const SamplerFlags& flags);

}  // namespace hb
