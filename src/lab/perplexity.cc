#include "lab/perplexity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/exact_double.h"
#include "engine/candidates.h"

namespace hb {
namespace {

constexpr double kLn2 = 0.6931471805599453;
constexpr uint32_t kShortest = 4;

// The sum of the weights is one of integers, so it does not depend on an order.
double log_sum(std::span<const float> logits, float largest_logit) {
  Candidates candidates;
  candidates.begin(logits, largest_logit);
  const double total = static_cast<double>(candidates.total_weight()) / static_cast<double>(kUnitWeight);
  return largest_logit + exact::log2(total) * kLn2;
}

}  // namespace

double PerplexityScore::perplexity() const {
  return count_ == 0 ? 1 : std::exp(sum_ / static_cast<double>(count_));
}

double PerplexityScore::standard_error() const {
  if (count_ < 2) return 0;
  const auto n = static_cast<double>(count_);
  const double mean = sum_ / n;
  const double variance = std::max(0.0, sum_of_squares_ / n - mean * mean);
  return std::sqrt(variance / (n - 1)) * perplexity();
}

double log_probability(std::span<const float> logits, int32_t token) {
  return logits[static_cast<size_t>(token)] - log_sum(logits, largest(logits).value);
}

Result<std::vector<std::vector<int32_t>>> perplexity_chunks(std::span<const int32_t> tokens, uint32_t length,
                                                            const Tokenizer& tokenizer) {
  if (length < kShortest || tokens.size() < length) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("a text of {} tokens in chunks of {}; a chunk has at least {} tokens, and the text one "
                    "chunk: use a longer text or shorter chunks",
                    tokens.size(), length, kShortest));
  }
  std::vector<std::vector<int32_t>> chunks;
  for (; tokens.size() >= length; tokens = tokens.subspan(length)) {
    auto& chunk = chunks.emplace_back(tokens.begin(), tokens.begin() + length);
    if (tokenizer.adds_bos() && tokenizer.bos()) chunk[0] = *tokenizer.bos();
  }
  return chunks;
}

Status score_chunk(Session& session, std::span<const int32_t> chunk, PerplexityScore& score) {
  const size_t half = chunk.size() / 2;
  session.truncate(0);
  HB_TRY(session.append(chunk.first(half)));
  bool finite = true;
  // The last token's logits would score what the chunk does not hold.
  HB_TRY(session.append_with_logits(chunk.subspan(half, chunk.size() - half - 1),
                                    [&](uint32_t row, auto logits) {
                                      finite = finite && largest(logits).finite;
                                      if (finite) score.add(-log_probability(logits, chunk[half + row + 1]));
                                    }));
  if (!finite) return fail(ErrorCode::kDevice, "a logit is not finite: the device or the model is damaged");
  return {};
}

}  // namespace hb
