#include "engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/memory_errors.h"

namespace hb {

Result<Session> Session::create(std::shared_ptr<const Model> model, const SessionOptions& options) {
  const uint32_t longest = model->plan().max_positions;
  if (options.context == 0 || options.batch == 0 || options.context > longest) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "a context of {} with batches of {}; the model takes contexts from 1 to {}, batches from 1",
            options.context, options.batch, longest));
  }
  if (options.shift && options.keep >= options.context / 2) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("keeping {} of {} positions leaves no room to shift; keep fewer than {}",
                            options.keep, options.context, options.context / 2));
  }
  Session session(std::move(model), options);
  const ContextOptions wanted = {.capacity = options.context,
                                 .max_batch = std::min(options.batch, options.context)};
  HB_ASSIGN(session.context_, without_bad_alloc("the session", [&] {
              session.tokens_.reserve(options.context);
              return session.model_->executable().new_context(wanted);
            }));
  return session;
}

Status Session::check(std::span<const int32_t> tokens) const {
  const auto vocab = static_cast<int64_t>(model_->plan().vocab_size);
  for (const int32_t token : tokens) {
    if (token >= 0 && token < vocab) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("token {} is outside the vocabulary of {}", token, vocab));
  }
  return {};
}

std::unexpected<Error> Session::does_not_fit(size_t count, size_t used) const {
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{} tokens{} do not fit the context of {}; use a larger context or a shorter prompt", count,
                  used == 0 ? "" : fmt::format(" after {}", used), context()));
}

// REQUIRES: more tokens than the context holds.
std::vector<int32_t> Session::what_shifting_leaves(std::vector<int32_t> tokens) const {
  const size_t half = (context() - options_.keep) / 2, excess = tokens.size() - context();
  const size_t dropped = (excess + half - 1) / half * half;
  const auto first = tokens.begin() + options_.keep;
  tokens.erase(first, first + static_cast<ptrdiff_t>(dropped));
  return tokens;
}

Status Session::evaluate(std::span<const int32_t> tokens, const Progress& progress) {
  const auto total = static_cast<uint32_t>(tokens.size());
  for (uint32_t done = 0; done < total;) {
    const uint32_t count = std::min(context_->max_batch(), total - done);
    const auto part = tokens.subspan(done, count);
    const bool last = done + count == total;
    logits_ = {};
    HB_TRY(context_->forward(
        {.tokens = part, .position = static_cast<uint32_t>(tokens_.size()), .output_count = last ? 1u : 0u}));
    tokens_.insert(tokens_.end(), part.begin(), part.end());
    done += count;
    if (last) logits_ = context_->logits();
    if (progress && !progress(done, total) && !last)
      return fail(ErrorCode::kCancelled, "stopped while reading the prompt");
  }
  return {};
}

Status Session::append(std::span<const int32_t> tokens, const Progress& progress) {
  if (tokens.empty()) return {};
  HB_TRY(check(tokens));
  if (tokens_.size() + tokens.size() <= context()) return evaluate(tokens, progress);
  if (!options_.shift) return does_not_fit(tokens.size(), tokens_.size());
  return without_bad_alloc("the session's tokens", [&]() -> Status {
    std::vector<int32_t> all = tokens_;
    all.insert(all.end(), tokens.begin(), tokens.end());
    HB_TRY(hold(what_shifting_leaves(std::move(all)), progress));
    return {};
  });
}

Result<std::vector<int32_t>> Session::append_greedily(int32_t token, uint32_t count) {
  HB_TRY(check({&token, 1}));
  const auto position = static_cast<uint32_t>(tokens_.size());
  if (position == context()) {  // the one token that makes room, if shifting may
    HB_TRY(append({&token, 1}));
    return std::vector<int32_t>{likeliest_token(logits_)};
  }
  count = std::clamp(count, 1u, std::min(context_->max_batch(), context() - position));
  logits_ = {};
  HB_ASSIGN(std::vector<int32_t> chosen, context_->decode_greedily(token, position, count));
  tokens_.push_back(token);
  tokens_.insert(tokens_.end(), chosen.begin(), chosen.end() - 1);
  logits_ = context_->logits();
  return chosen;
}

Result<uint32_t> Session::set_tokens(std::span<const int32_t> tokens, const Progress& progress) {
  HB_TRY(check(tokens));
  if (tokens.size() <= context()) return hold(tokens, progress);
  if (!options_.shift) return does_not_fit(tokens.size(), 0);
  return without_bad_alloc("the session's tokens", [&] {
    return hold(what_shifting_leaves({tokens.begin(), tokens.end()}), progress);
  });
}

Result<uint32_t> Session::hold(std::span<const int32_t> tokens, const Progress& progress) {
  const auto differs = std::ranges::mismatch(tokens_, tokens);
  auto kept = static_cast<uint32_t>(differs.in2 - tokens.begin());
  // The last token is always evaluated: its logits are wanted, and only the newest ones are kept.
  if (kept == tokens.size() && !(kept == tokens_.size() && !logits_.empty())) --kept;
  truncate(kept);
  HB_TRY(evaluate(tokens.subspan(kept), progress));
  return kept;
}

void Session::truncate(uint32_t count) {
  if (count >= tokens_.size()) return;
  tokens_.resize(count);
  logits_ = {};
}

Status Session::append_with_logits(std::span<const int32_t> tokens, const RowFn& row) {
  HB_TRY(check(tokens));
  if (tokens_.size() + tokens.size() > context()) return does_not_fit(tokens.size(), tokens_.size());
  const uint32_t vocab = model_->plan().vocab_size;
  for (uint32_t done = 0; done < tokens.size();) {
    const uint32_t count = std::min(context_->max_batch(), static_cast<uint32_t>(tokens.size()) - done);
    const auto part = tokens.subspan(done, count);
    logits_ = {};
    HB_TRY(context_->forward(
        {.tokens = part, .position = static_cast<uint32_t>(tokens_.size()), .output_count = count}));
    tokens_.insert(tokens_.end(), part.begin(), part.end());
    const std::span<const float> logits = context_->logits();
    for (uint32_t i = 0; i < count; ++i) row(done + i, logits.subspan(size_t{i} * vocab, vocab));
    logits_ = logits.last(vocab);
    done += count;
  }
  return {};
}

uint64_t hash_logits(std::span<const float> logits) {
  uint64_t hash = 14695981039346656037ull;
  for (const float logit : logits) {
    const uint32_t bits = std::bit_cast<uint32_t>(logit);
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 255)) * 1099511628211ull;
  }
  return hash;
}

}  // namespace hb
