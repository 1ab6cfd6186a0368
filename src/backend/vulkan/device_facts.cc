#include "backend/vulkan/device_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hb::vulkan {
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

std::string list(std::span<const DeviceFacts> devices) {
  if (devices.empty()) return "there is none";
  std::string text = "there are";
  for (size_t i = 0; i < devices.size(); ++i)
    text += fmt::format("{} {} '{}'", i ? "," : "", i, devices[i].name);
  return text;
}

Result<size_t> best_device(std::span<const DeviceFacts> devices) {
  std::optional<size_t> best;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!check_usable(devices[i])) continue;
    if (!best || devices[i].kind < devices[*best].kind) best = i;
  }
  if (best) return *best;
  return fail(ErrorCode::kNotFound, fmt::format("no Vulkan device can be used; {}", list(devices)));
}

Result<size_t> find_device(std::span<const DeviceFacts> devices, const std::string& wanted) {
  if (const auto index = number(wanted); index && *index < devices.size()) return *index;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (lower(devices[i].name).find(lower(wanted)) != std::string::npos) return i;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("no Vulkan device is called '{}'; {}", wanted, list(devices)));
}

}  // namespace

const char* device_kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kDiscrete:
      return "discrete";
    case DeviceKind::kIntegrated:
      return "integrated";
    case DeviceKind::kVirtual:
      return "virtual";
    case DeviceKind::kCpu:
      return "cpu";
    default:
      return "other";
  }
}

Status check_usable(const DeviceFacts& facts) {
  struct Limit {
    const char* what;
    uint64_t has, needs;
  };
  const Limit limits[] = {
      {"the Vulkan version (times 100)", facts.api_major * 100u + facts.api_minor, 101},
      {"storage buffers of a kernel", facts.max_storage_buffers, 10},
      {"invocations of a work-group", facts.max_invocations, 64},
      {"bytes of shared memory", facts.max_shared_bytes, 16384},
      {"bytes of push constants", facts.max_push_bytes, 64},
  };
  for (const Limit& limit : limits) {
    if (limit.has >= limit.needs) continue;
    return fail(ErrorCode::kUnsupported, fmt::format("device '{}': {} is {}, and {} is needed", facts.name,
                                                     limit.what, limit.has, limit.needs));
  }
  return {};
}

Result<size_t> choose_device(std::span<const DeviceFacts> devices, const std::string& wanted) {
  if (wanted.empty()) return best_device(devices);
  HB_ASSIGN(const size_t index, find_device(devices, wanted));
  HB_TRY(check_usable(devices[index]));
  return index;
}

}  // namespace hb::vulkan
