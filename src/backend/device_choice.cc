#include "backend/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hb {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

std::optional<size_t> number(const std::string& text) {
  size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string list(std::span<const DeviceCandidate> candidates) {
  if (candidates.empty()) return "there is none";
  std::string text = "there are";
  for (size_t i = 0; i < candidates.size(); ++i)
    text += fmt::format("{} {} '{}'", i ? "," : "", i, candidates[i].name);
  return text;
}

std::optional<size_t> best(std::span<const DeviceCandidate> candidates) {
  std::optional<size_t> best;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].usable) continue;
    if (!best || candidates[i].rank < candidates[*best].rank) best = i;
  }
  return best;
}

std::optional<size_t> find(std::span<const DeviceCandidate> candidates, const std::string& wanted) {
  if (const auto index = number(wanted); index && *index < candidates.size()) return index;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (lower(candidates[i].searched).find(lower(wanted)) != std::string::npos) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<size_t> choose_candidate(std::span<const DeviceCandidate> candidates, const std::string& wanted,
                                const char* api) {
  if (wanted.empty()) {
    if (const auto index = best(candidates)) return *index;
    return fail(ErrorCode::kNotFound, fmt::format("no {} device can be used; {}", api, list(candidates)));
  }
  const auto index = find(candidates, wanted);
  if (!index) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no {} device is called '{}'; {}", api, wanted, list(candidates)));
  }
  HB_TRY(candidates[*index].usable);
  return *index;
}

}  // namespace hb
