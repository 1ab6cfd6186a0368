#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/engine_options.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/vulkan/vulkan_backend.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte devices\n"
    "  halfbyte devices --json\n"
    "  halfbyte run --backend vulkan --device llvmpipe \"What is a river?\"";

nlohmann::ordered_json details(const vulkan::DeviceFacts& facts) {
  return {{"vulkan", fmt::format("{}.{}", facts.api_major, facts.api_minor)},
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

nlohmann::ordered_json details(const opencl::DeviceFacts& facts) {
  return {{"opencl", facts.version},
          {"vendor", facts.vendor},
          {"platform", facts.platform},
          {"memory_bytes", facts.memory_bytes},
          {"unified_memory", facts.unified_memory},
          {"max_allocation", facts.max_allocation},
          {"local_bytes", facts.local_bytes},
          {"max_work_group", facts.max_work_group},
          {"compute_units", facts.compute_units},
          {"half", facts.half},
          {"subgroups", facts.subgroups},
          {"images", facts.images},
          {"integer_dot", facts.integer_dot}};
}

void print_details(const vulkan::DeviceFacts& facts) {
  fmt::print("   {}, Vulkan {}.{}, {}, {:.1f} GB{}\n", device_kind_name(facts.kind), facts.api_major,
             facts.api_minor, facts.driver.empty() ? "no driver name" : facts.driver,
             static_cast<double>(facts.memory_bytes) / 1e9,
             facts.unified_memory ? " shared with the CPU" : "");
  fmt::print("   subgroups of {}{}{}{}{}{}\n", facts.subgroup_size, facts.subgroup_shuffle ? ", shuffle" : "",
             facts.storage_16bit ? ", 16-bit storage" : "", facts.storage_8bit ? ", 8-bit storage" : "",
             facts.float16 ? ", half arithmetic" : "",
             facts.dot_signed || facts.dot_mixed ? ", integer dot products" : "");
}

void print_details(const opencl::DeviceFacts& facts) {
  fmt::print("   {}, {}, {} {}, {:.1f} GB{}, {:.1f} GB at a time\n", device_kind_name(facts.kind),
             facts.version, facts.platform, facts.driver, static_cast<double>(facts.memory_bytes) / 1e9,
             facts.unified_memory ? " shared with the CPU" : "",
             static_cast<double>(facts.max_allocation) / 1e9);
  fmt::print("   {} compute units{}{}{}{}\n", facts.compute_units, facts.half ? ", half arithmetic" : "",
             facts.subgroups ? ", subgroups" : "", facts.images ? ", images" : "",
             facts.integer_dot ? ", integer dot products" : "");
}

template <class Facts>
nlohmann::ordered_json to_json(const char* api, const Facts& facts, size_t index) {
  const Status usable = check_usable(facts);
  nlohmann::ordered_json device = {{"api", api},
                                   {"number", index},
                                   {"name", facts.name},
                                   {"driver", facts.driver},
                                   {"kind", device_kind_name(facts.kind)},
                                   {"usable", usable.has_value()},
                                   {"why_not", usable ? "" : usable.error().message}};
  device.update(details(facts));
  return device;
}

template <class Facts>
void print(const char* api, const Facts& facts, size_t index) {
  fmt::print("{} {}  {}\n", api, index, facts.name);
  print_details(facts);
  if (const Status usable = check_usable(facts); !usable)
    fmt::print("   cannot be used: {}\n", usable.error().message);
}

// Prints the devices of an interface, or adds them to `all`, if that is wanted. A machine without the
// interface is no error: the text says so.
template <class Facts>
void show(const char* api, const Result<std::vector<Facts>>& devices, nlohmann::ordered_json* all) {
  if (!devices) {
    if (all == nullptr) fmt::print("{}: {}\n", api, devices.error().message);
    return;
  }
  for (size_t i = 0; i < devices->size(); ++i) {
    if (all != nullptr) {
      all->push_back(to_json(api, (*devices)[i], i));
    } else {
      print(api, (*devices)[i], i);
    }
  }
  if (all == nullptr && devices->empty()) fmt::print("{}: no driver is installed\n", api);
}

Result<int> print_devices(bool json) {
  HB_ASSIGN(const Settings settings, load_settings({}));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  show("vulkan", list_vulkan_devices(), json ? &all : nullptr);
  show("opencl", list_opencl_devices(settings.opencl_library), json ? &all : nullptr);
  if (json) fmt::print("{}\n", all.dump());
  return kExitOk;
}

}  // namespace

void add_devices_command(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = line.add("devices", "List the Vulkan and OpenCL devices and what they can do",
                               kExamples, [json] { return print_devices(*json); });
  command.add_flag("--json", *json, "One JSON array instead of text");
}

}  // namespace hb
