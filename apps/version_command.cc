#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/engine_options.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte version\n"
    "  halfbyte version --json\n"
    "  halfbyte version --settings        every knob: its value, where that comes from, what is allowed";

Result<int> print_version(bool json) {
  if (json) {
    const nlohmann::json version = {
        {"version", HALFBYTE_VERSION}, {"build_type", HALFBYTE_BUILD_TYPE}, {"compiler", __VERSION__}};
    fmt::print("{}\n", version.dump());
  } else {
    fmt::print("halfbyte {} ({}, compiler {})\n", HALFBYTE_VERSION, HALFBYTE_BUILD_TYPE, __VERSION__);
  }
  return kExitOk;
}

Result<int> print_settings(bool json) {
  HB_ASSIGN(const Settings settings, load_settings({}));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SettingLine& line : settings.lines()) {
    const char* origin = setting_origin_name(line.origin);
    all.push_back({{"name", line.name},
                   {"variable", line.variable},
                   {"value", line.value},
                   {"origin", origin},
                   {"allowed", line.allowed},
                   {"help", line.help}});
    if (json) continue;
    fmt::print("{:<24}{:<14}({})\n  {}\n  allowed: {}\n", line.variable,
               line.value.empty() ? "-" : line.value, origin, line.help, line.allowed);
  }
  if (json) fmt::print("{}\n", all.dump());
  return kExitOk;
}

}  // namespace

void add_version_command(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  const auto settings = std::make_shared<bool>(false);
  CLI::App& command =
      line.add("version", "Print the version and how it was built", kExamples,
               [json, settings] { return *settings ? print_settings(*json) : print_version(*json); });
  command.add_flag("--settings", *settings, "The knobs that environment variables set, instead");
  command.add_flag("--json", *json, "One JSON object instead of text");
}

}  // namespace hb
