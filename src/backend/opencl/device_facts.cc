#include "backend/opencl/device_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "backend/device_choice.h"

namespace hb::opencl {
namespace {

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
  std::vector<DeviceCandidate> candidates;
  for (const DeviceFacts& facts : devices)
    candidates.push_back(
        {facts.name, facts.name + " " + facts.platform, static_cast<int>(facts.kind), check_usable(facts)});
  return choose_candidate(candidates, wanted, "OpenCL");
}

}  // namespace hb::opencl
