#include "engine/sampler_options.h"

#include <fmt/format.h>

#include <limits>

namespace hb {
namespace {

template <class T>
struct Range {
  const char* option;
  T value;
  T least;
  T most;
  const char* note = "";
};

template <class T>
Status within(const Range<T>& r) {
  if (r.value >= r.least && r.value <= r.most) return {};  // false for NaN
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is {}; it may be {} to {}{}", r.option, r.value, r.least, r.most, r.note));
}

Status validate_bias(const std::map<int32_t, float>& bias, int32_t vocab_size) {
  for (const auto& [id, value] : bias) {
    if (id < 0 || id >= vocab_size) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("logit_bias names token {}; this model's ids are 0 to {}", id, vocab_size - 1));
    }
    if (value == -std::numeric_limits<float>::infinity()) continue;
    HB_TRY(within<float>({"logit_bias", value, -1e6f, 1e6f, ", or -infinity to ban the token"}));
  }
  return {};
}

}  // namespace

Status validate(const SamplerOptions& o, int32_t vocab_size) {
  HB_TRY(validate_bias(o.logit_bias, vocab_size));
  HB_TRY(within<float>({"repetition_penalty", o.repetition_penalty, 0.01f, 100.0f, " (1 is off)"}));
  HB_TRY(within<float>({"frequency_penalty", o.frequency_penalty, -100.0f, 100.0f, " (0 is off)"}));
  HB_TRY(within<float>({"presence_penalty", o.presence_penalty, -100.0f, 100.0f, " (0 is off)"}));
  HB_TRY(within<int32_t>({"penalty_last_n", o.penalty_last_n, 0, 1 << 20, " tokens (0 is off)"}));
  HB_TRY(within<int32_t>({"top_k", o.top_k, 0, std::numeric_limits<int32_t>::max(), " (0 is off)"}));
  HB_TRY(within<float>({"typical_p", o.typical_p, 0.0f, 1.0f, " (1 is off)"}));
  HB_TRY(within<float>({"top_p", o.top_p, 0.0f, 1.0f, " (1 is off)"}));
  HB_TRY(within<float>({"min_p", o.min_p, 0.0f, 1.0f, " (0 is off)"}));
  if (o.temperature != 0.0f) {
    HB_TRY(within<float>({"temperature", o.temperature, 1e-6f, 100.0f, ", or 0 for greedy"}));
  }
  return within<int32_t>({"logprobs", o.logprobs, kNoLogprobs, 1000, " (-1 is off)"});
}

}  // namespace hb
