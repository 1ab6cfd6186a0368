#include "engine/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/exact_double.h"
#include "base/exact_math.h"
#include "engine/random.h"

namespace hb {
namespace {

constexpr double kLn2 = 0.693147180559945309;

std::unexpected<Error> not_finite(std::span<const float> logits) {
  const auto bad = std::find_if(logits.begin(), logits.end(), [](float x) { return !std::isfinite(x); });
  return fail(
      ErrorCode::kDevice,
      fmt::format("logit {} is {}: the model's weights or the backend's results are broken; check the file "
                  "and try another backend",
                  bad - logits.begin(), *bad));
}

}  // namespace

Result<Sampler> Sampler::create(SamplerOptions options, int32_t vocab_size) {
  HB_CHECK_LT(0, vocab_size);
  if (static_cast<size_t>(vocab_size) > kMaxVocabulary) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("a vocabulary of {} tokens; the sampler takes at most {}", vocab_size, kMaxVocabulary));
  }
  HB_TRY(validate(options, vocab_size));
  return Sampler(std::move(options), vocab_size);
}

Sampler::Sampler(SamplerOptions options, int32_t vocab_size)
    : options_(std::move(options)), vocab_size_(vocab_size) {
  const bool penalties = options_.repetition_penalty != 1.0f || options_.frequency_penalty != 0.0f ||
                         options_.presence_penalty != 0.0f;
  if (penalties && options_.penalty_last_n > 0) counts_.resize(static_cast<size_t>(vocab_size));
}

Result<SampledToken> Sampler::sample(std::span<const float> logits) {
  HB_CHECK_EQ(logits.size(), static_cast<size_t>(vocab_size_));
  const Largest top = largest(logits);
  if (!top.finite) return not_finite(logits);
  SampledToken token;
  HB_ASSIGN(token.id, choose(logits, top));
  if (options_.logprobs != kNoLogprobs) add_logprobs(logits, top.value, token);
  return token;
}

Result<int32_t> Sampler::choose(std::span<const float> logits, const Largest& top) {
  const bool greedy = options_.temperature == 0.0f;
  if (options_.logit_bias.empty() && !has_penalties()) {
    return greedy ? static_cast<int32_t>(top.index) : draw(logits, top.value);
  }
  adjust(logits);
  const Largest adjusted_top = largest(adjusted_);
  if (adjusted_top.value == -std::numeric_limits<float>::infinity()) {
    return fail(ErrorCode::kInvalidArgument,
                "logit_bias bans every token of the vocabulary; leave at least one");
  }
  return greedy ? static_cast<int32_t>(adjusted_top.index) : draw(adjusted_, adjusted_top.value);
}

int32_t Sampler::draw(std::span<const float> logits, float largest_logit) {
  candidates_.begin(logits, largest_logit);
  if (options_.top_k > 0) candidates_.keep_top_k(static_cast<size_t>(options_.top_k));
  if (options_.typical_p < 1.0f) candidates_.keep_typical(options_.typical_p);
  if (options_.top_p < 1.0f) candidates_.keep_top_p(options_.top_p);
  if (options_.min_p > 0.0f) candidates_.keep_min_p(options_.min_p);
  return candidates_.draw(uniform_draw(options_.seed, accepted_), exact::rcp(options_.temperature));
}

void Sampler::adjust(std::span<const float> logits) {
  adjusted_.assign(logits.begin(), logits.end());
  for (const auto& [id, bias] : options_.logit_bias) adjusted_[static_cast<size_t>(id)] += bias;
  if (!has_penalties()) return;
  for (const int32_t id : window_) {  // an id that occurs twice gets the same value twice
    const auto index = static_cast<size_t>(id);
    const auto bias = options_.logit_bias.find(id);
    const float logit = bias == options_.logit_bias.end() ? logits[index] : logits[index] + bias->second;
    adjusted_[index] = penalised(logit, counts_[index]);
  }
}

float Sampler::penalised(float logit, uint32_t count) const {
  const float inverse = exact::rcp(options_.repetition_penalty);
  const float factor = logit > 0.0f ? inverse : options_.repetition_penalty;
  const float product = logit * factor;
  const float scaled = std::min(product, std::numeric_limits<float>::max());
  const float frequency = static_cast<float>(count) * options_.frequency_penalty;
  const float less_frequency = scaled - frequency;
  return less_frequency - options_.presence_penalty;
}

void Sampler::add_logprobs(std::span<const float> logits, float largest_logit, SampledToken& token) {
  candidates_.begin(logits, largest_logit);
  const double total = static_cast<double>(candidates_.total_weight()) / static_cast<double>(kUnitWeight);
  const double log_total = exact::log2(total) * kLn2;
  const auto logprob = [&](size_t id) {
    const double difference = static_cast<double>(logits[id]) - largest_logit;
    return static_cast<float>(difference - log_total);
  };
  token.logprob = logprob(static_cast<size_t>(token.id));
  select_first(logits, static_cast<size_t>(options_.logprobs), order_);
  likeliest_.clear();
  for (const uint32_t id : order_) likeliest_.push_back({static_cast<int32_t>(id), logprob(id)});
  token.likeliest = likeliest_;
}

void Sampler::accept(int32_t id) {
  HB_CHECK_LE(0, id);
  HB_CHECK_LT(id, vocab_size_);
  ++accepted_;
  push(id);
}

void Sampler::push(int32_t id) {
  const auto capacity = static_cast<size_t>(options_.penalty_last_n);
  if (capacity == 0) return;
  if (has_penalties()) ++counts_[static_cast<size_t>(id)];
  if (window_.size() < capacity) return window_.push_back(id);
  if (has_penalties()) --counts_[static_cast<size_t>(window_[oldest_])];
  window_[oldest_] = id;
  oldest_ = (oldest_ + 1) % capacity;
}

void Sampler::reset() {
  accepted_ = 0;
  window_.clear();
  oldest_ = 0;
  std::fill(counts_.begin(), counts_.end(), 0);
}

SamplerState Sampler::state() const {
  SamplerState state{accepted_, window_};
  std::rotate(state.window.begin(), state.window.begin() + static_cast<ptrdiff_t>(oldest_),
              state.window.end());
  return state;
}

Status Sampler::restore(const SamplerState& state) {
  for (const int32_t id : state.window) {
    if (id >= 0 && id < vocab_size_) continue;
    return fail(ErrorCode::kBadFile,
                fmt::format("the sampler's saved window holds token {}; this model's ids are 0 "
                            "to {}",
                            id, vocab_size_ - 1));
  }
  reset();
  for (const int32_t id : state.window) push(id);
  accepted_ = state.accepted;
  return {};
}

}  // namespace hb
