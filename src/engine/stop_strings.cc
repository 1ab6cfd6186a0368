#include "engine/stop_strings.h"

#include <fmt/format.h>

#include <algorithm>

namespace hb {
namespace {

constexpr size_t kMaxStops = 256;
constexpr size_t kMaxStopBytes = 4096;

// The failure table of Knuth, Morris and Pratt.
std::vector<size_t> borders_of(std::string_view text) {
  std::vector<size_t> border(text.size() + 1, 0);
  for (size_t n = 1, length = 0; n < text.size(); ++n) {
    while (length > 0 && text[n] != text[length]) length = border[length];
    if (text[n] == text[length]) ++length;
    border[n + 1] = length;
  }
  return border;
}

}  // namespace

Result<StopStrings> StopStrings::create(std::vector<std::string> stops) {
  if (stops.size() > kMaxStops) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} stop strings; at most {}", stops.size(), kMaxStops));
  }
  for (size_t i = 0; i < stops.size(); ++i) {
    if (!stops[i].empty() && stops[i].size() <= kMaxStopBytes) continue;
    return fail(ErrorCode::kInvalidArgument, fmt::format("stop string {} has {} bytes; it may have 1 to {}",
                                                         i, stops[i].size(), kMaxStopBytes));
  }
  return StopStrings(std::move(stops));
}

StopStrings::StopStrings(std::vector<std::string> stops) {
  for (std::string& stop : stops) {
    std::vector<size_t> border = borders_of(stop);
    patterns_.push_back({std::move(stop), std::move(border)});
  }
}

StopStrings::Passed StopStrings::feed(std::string_view piece) {
  if (hit_) return {"", hit_};
  for (const char byte : piece) {
    held_ += byte;
    for (Pattern& pattern : patterns_) advance(pattern, byte);
    hit_ = longest_complete();
    if (!hit_) continue;
    held_.resize(held_.size() - patterns_[*hit_].text.size());
    return {std::exchange(held_, {}), hit_};
  }
  size_t keep = 0;
  for (const Pattern& pattern : patterns_) keep = std::max(keep, pattern.matched);
  const size_t pass = held_.size() - keep;
  Passed passed{held_.substr(0, pass), std::nullopt};
  held_.erase(0, pass);
  return passed;
}

std::string StopStrings::finish() {
  std::string rest = std::exchange(held_, {});
  for (Pattern& pattern : patterns_) pattern.matched = 0;
  return rest;
}

void StopStrings::reset() {
  finish();
  hit_.reset();
}

void StopStrings::advance(Pattern& p, char byte) {
  while (p.matched > 0 && p.text[p.matched] != byte) p.matched = p.border[p.matched];
  if (p.text[p.matched] == byte) ++p.matched;
}

std::optional<size_t> StopStrings::longest_complete() const {
  std::optional<size_t> best;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const size_t length = patterns_[i].text.size();
    if (patterns_[i].matched == length && (!best || length > patterns_[*best].text.size())) best = i;
  }
  return best;
}

}  // namespace hb
