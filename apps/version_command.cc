#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte version\n"
    "  halfbyte version --json";

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

}  // namespace

void add_version_command(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = line.add("version", "Print the version and how it was built", kExamples,
                               [json] { return print_version(*json); });
  command.add_flag("--json", *json, "One JSON object instead of text");
}

}  // namespace hb
