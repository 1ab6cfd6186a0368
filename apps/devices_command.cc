#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/engine_options.h"
#include "backend/vulkan/vulkan_backend.h"

namespace hb {
namespace {

using vulkan::DeviceFacts;

constexpr const char* kExamples =
    "  halfbyte devices\n"
    "  halfbyte devices --json\n"
    "  halfbyte run --backend vulkan --device llvmpipe \"What is a river?\"";

nlohmann::ordered_json to_json(const DeviceFacts& facts, size_t index) {
  const Status usable = check_usable(facts);
  return {{"number", index},
          {"name", facts.name},
          {"driver", facts.driver},
          {"kind", device_kind_name(facts.kind)},
          {"usable", usable.has_value()},
          {"why_not", usable ? "" : usable.error().message},
          {"vulkan", fmt::format("{}.{}", facts.api_major, facts.api_minor)},
          {"vendor_id", facts.vendor_id},
          {"device_id", facts.device_id},
          {"driver_version", facts.driver_version},
          {"memory_bytes", facts.memory_bytes},
          {"unified_memory", facts.unified_memory},
          {"max_storage_range", facts.max_storage_range},
          {"max_allocation", facts.max_allocation},
          {"max_invocations", facts.max_invocations},
          {"max_shared_bytes", facts.max_shared_bytes},
          {"subgroup_size", facts.subgroup_size},
          {"subgroup_shuffle", facts.subgroup_shuffle},
          {"storage_8bit", facts.storage_8bit},
          {"storage_16bit", facts.storage_16bit},
          {"int8", facts.int8},
          {"int16", facts.int16},
          {"float16", facts.float16},
          {"dot_signed", facts.dot_signed},
          {"dot_unsigned", facts.dot_unsigned},
          {"dot_mixed", facts.dot_mixed}};
}

void print(const DeviceFacts& facts, size_t index) {
  fmt::print("{}  {}\n", index, facts.name);
  fmt::print("   {}, Vulkan {}.{}, {}, {:.1f} GB{}\n", device_kind_name(facts.kind), facts.api_major,
             facts.api_minor, facts.driver.empty() ? "no driver name" : facts.driver,
             static_cast<double>(facts.memory_bytes) / 1e9,
             facts.unified_memory ? " shared with the CPU" : "");
  fmt::print("   subgroups of {}{}{}{}{}{}\n", facts.subgroup_size, facts.subgroup_shuffle ? ", shuffle" : "",
             facts.storage_16bit ? ", 16-bit storage" : "", facts.storage_8bit ? ", 8-bit storage" : "",
             facts.float16 ? ", half arithmetic" : "",
             facts.dot_signed || facts.dot_mixed ? ", integer dot products" : "");
  if (const Status usable = check_usable(facts); !usable)
    fmt::print("   cannot be used: {}\n", usable.error().message);
}

Result<int> print_devices(bool json) {
  HB_ASSIGN(const Settings settings, load_settings({}));
  static_cast<void>(settings);
  HB_ASSIGN(const std::vector<DeviceFacts> devices, list_vulkan_devices());
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (size_t i = 0; i < devices.size(); ++i) {
    if (json) {
      all.push_back(to_json(devices[i], i));
    } else {
      print(devices[i], i);
    }
  }
  if (json) fmt::print("{}\n", all.dump());
  if (!json && devices.empty()) fmt::print("No Vulkan device: no driver is installed.\n");
  return kExitOk;
}

}  // namespace

void add_devices_command(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = line.add("devices", "List the Vulkan devices and what they can do", kExamples,
                               [json] { return print_devices(*json); });
  command.add_flag("--json", *json, "One JSON array instead of text");
}

}  // namespace hb
