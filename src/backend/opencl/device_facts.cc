#include "backend/opencl/device_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hb::opencl {
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
  return fail(ErrorCode::kNotFound, fmt::format("no OpenCL device can be used; {}", list(devices)));
}

Result<size_t> find_device(std::span<const DeviceFacts> devices, const std::string& wanted) {
  if (const auto index = number(wanted); index && *index < devices.size()) return *index;
  for (size_t i = 0; i < devices.size(); ++i) {
    if (lower(devices[i].name + " " + devices[i].platform).find(lower(wanted)) != std::string::npos) return i;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("no OpenCL device is called '{}'; {}", wanted, list(devices)));
}

// "OpenCL 1.2 vendor's text" as 102; 0 for anything else.
uint32_t version_number(const std::string& text) {
  constexpr std::string_view kPrefix = "OpenCL ";
  if (!text.starts_with(kPrefix)) return 0;
  uint32_t major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data() + kPrefix.size(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.' || major > 99) return 0;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc() && minor < 100 ? 100 * major + minor : 0;
}

}  // namespace

const char* device_kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kAccelerator:
      return "accelerator";
    case DeviceKind::kCpu:
      return "cpu";
    default:
      return "other";
  }
}

Status check_usable(const DeviceFacts& facts) {
  const auto refuse = [&facts](const std::string& why) {
    return fail(ErrorCode::kUnsupported, fmt::format("device '{}': {}", facts.name, why));
  };
  if (!facts.available) return refuse("the driver says that it is not available");
  if (!facts.compiler) return refuse("its driver has no compiler");
  if (version_number(facts.version) < 102)
    return refuse(fmt::format("it has '{}'; OpenCL 1.2 is needed", facts.version));
  if (facts.max_work_group < 64)
    return refuse(
        fmt::format("work-groups have at most {} work-items, and 64 are needed", facts.max_work_group));
  if (facts.max_allocation < (1u << 20))
    return refuse(fmt::format("a buffer has at most {} bytes, and 1 MiB is needed", facts.max_allocation));
  return {};
}

Result<size_t> choose_device(std::span<const DeviceFacts> devices, const std::string& wanted) {
  if (wanted.empty()) return best_device(devices);
  HB_ASSIGN(const size_t index, find_device(devices, wanted));
  HB_TRY(check_usable(devices[index]));
  return index;
}

}  // namespace hb::opencl
