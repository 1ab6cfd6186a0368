// What holds for every command, and the commands that need no model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/run_binary.h"

namespace hb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> command_names() {
  CommandLine line;
  add_all_commands(line);
  std::vector<std::string> names;
  for (const CLI::App* command : line.app().get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

TEST(Cli, EveryCommandHelpsWithExamples) {
  for (const std::string& name : command_names()) {
    const BinaryRun run = run_halfbyte(name + " --help");
    EXPECT_EQ(run.exit_code, 0) << name;
    EXPECT_THAT(run.output, HasSubstr("Examples:\n  halfbyte " + name)) << name;
  }
}

TEST(Cli, TheTopHelpListsEveryCommand) {
  const BinaryRun run = run_halfbyte("--help");
  EXPECT_EQ(run.exit_code, 0);
  for (const std::string& name : command_names()) EXPECT_THAT(run.output, HasSubstr("\n  " + name + " "));
}

TEST(Cli, MisuseExitsWithTwoAndOneLine) {
  for (const char* arguments :
       {"", "nonsense", "--nonsense", "version --nonsense", "pull", "pull nonsense",
        "pull smollm2 --output x", "completion", "completion tcsh", "pull http://127.0.0.1/x",
        "pull https://host/", "pull https://host/x --sha256 123"}) {
    const BinaryRun run = run_halfbyte(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_THAT(run.output, StartsWith("halfbyte: ")) << arguments;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 1) << run.output;
  }
}

TEST(Cli, FailureExitsWithOne) {
  const BinaryRun run = run_halfbyte("pull https://127.0.0.1:1/model.gguf -q --output /proc/none/x");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, StartsWith("halfbyte: "));
}

TEST(Cli, Version) {
  EXPECT_THAT(run_halfbyte("version").output, StartsWith("halfbyte 0."));
  EXPECT_THAT(run_halfbyte("--version").output, StartsWith("halfbyte 0."));
  const auto json = nlohmann::json::parse(run_halfbyte("version --json").output, nullptr, false);
  EXPECT_TRUE(json.contains("version") && json.contains("compiler") && json.contains("build_type"));
}

TEST(Cli, PullListsWhatItKnows) {
  EXPECT_THAT(run_halfbyte("pull --list").output, HasSubstr("smollm2"));
  const auto json = nlohmann::json::parse(run_halfbyte("pull --list --json").output, nullptr, false);
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0]["sha256"].get<std::string>().size(), 64u);
}

TEST(Cli, PullDoesNotOverwrite) {
  const BinaryRun run = run_halfbyte("pull https://127.0.0.1:1/x --output /dev/null");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("exists already"));
}

}  // namespace
}  // namespace hb
