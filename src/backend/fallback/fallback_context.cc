#include "backend/fallback/fallback_context.h"

#include <algorithm>

namespace hb::fallback {
namespace {

constexpr int32_t kNoToken = -1;

}  // namespace

Status FallbackContext::forward(const Batch& batch) {
  Status status = context_->forward(batch);
  if (!status && may_move(status.error())) {
    HB_TRY(move(status.error(), batch.position));
    status = context_->forward(batch);
  }
  if (status) remember(batch.tokens, batch.position);
  inputs_.clear();
  return status;
}

Status FallbackContext::write_buffer(BufferId buffer, std::span<const float> values) {
  HB_TRY(context_->write_buffer(buffer, values));
  if (!moved_) inputs_[buffer] = {values.begin(), values.end()};
  return {};
}

Result<std::vector<int32_t>> FallbackContext::decode_greedily(int32_t token, uint32_t position,
                                                              uint32_t count) {
  auto chosen = context_->decode_greedily(token, position, count);
  if (!chosen && may_move(chosen.error())) {
    HB_TRY(move(chosen.error(), position));
    chosen = context_->decode_greedily(token, position, count);
  }
  if (!chosen) return chosen;
  remember({&token, 1}, position);
  remember(std::span(*chosen).first(count - 1), position + 1);
  return chosen;
}

void FallbackContext::remember(std::span<const int32_t> tokens, uint32_t position) {
  if (moved_) return;
  const size_t end = position + tokens.size();
  if (tokens_.size() < end) tokens_.resize(end, kNoToken);
  std::ranges::copy(tokens, tokens_.begin() + position);
}

bool FallbackContext::has_token(uint32_t position) const {
  return position < tokens_.size() && tokens_[position] != kNoToken;
}

Status FallbackContext::move(const Error& why, uint32_t count) {
  HB_ASSIGN(Executable* const executable, second_(why));
  HB_ASSIGN(std::unique_ptr<ExecutionContext> context, executable->new_context(options_));
  for (const WrittenRows& written : written_) {
    HB_TRY(context->write_cache(written.position, written.count, written.rows));
  }
  for (uint32_t begin = 0; begin < count; ++begin) {
    uint32_t end = begin;
    while (end < count && end - begin < max_batch() && has_token(end)) ++end;
    if (end == begin) continue;
    HB_TRY(evaluate_again(*context, begin, end));
    begin = end - 1;
  }
  for (const auto& [buffer, values] : inputs_) HB_TRY(context->write_buffer(buffer, values));
  context_ = std::move(context);
  moved_ = true;
  tokens_.clear();
  written_.clear();
  return {};
}

Status FallbackContext::evaluate_again(ExecutionContext& context, uint32_t begin, uint32_t end) const {
  return context.forward({std::span(tokens_).subspan(begin, end - begin), begin, 0});
}

Result<std::vector<uint16_t>> FallbackContext::read_cache(uint32_t position, uint32_t count) {
  auto rows = context_->read_cache(position, count);
  if (rows || !may_move(rows.error())) return rows;
  HB_TRY(move(rows.error(), position + count));
  return context_->read_cache(position, count);
}

Status FallbackContext::write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) {
  Status status = context_->write_cache(position, count, rows);
  if (!status && may_move(status.error())) {
    HB_TRY(move(status.error(), position));
    status = context_->write_cache(position, count, rows);
  }
  if (!status || moved_) return status;
  written_.push_back({position, count, {rows.begin(), rows.end()}});
  const size_t end = std::min<size_t>(tokens_.size(), size_t{position} + count);
  for (size_t p = position; p < end; ++p) tokens_[p] = kNoToken;
  return {};
}

}  // namespace hb::fallback
