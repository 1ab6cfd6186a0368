#include "backend/vulkan/device_facts.h"

#include <fmt/format.h>

#include <vector>

#include "backend/device_choice.h"

namespace hb::vulkan {
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
  std::vector<DeviceCandidate> candidates;
  for (const DeviceFacts& facts : devices)
    candidates.push_back({facts.name, facts.name, static_cast<int>(facts.kind), check_usable(facts)});
  return choose_candidate(candidates, wanted, "Vulkan");
}

}  // namespace hb::vulkan
