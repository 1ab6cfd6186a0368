#include "apps/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

namespace hb {

CommandLine::CommandLine()
    : app_("Decodes 4-bit language models, bit for bit the same on every device.", "halfbyte") {
  app_.set_version_flag("--version", "halfbyte " HALFBYTE_VERSION);
  app_.set_help_all_flag("--help-all", "Help of every command");
  app_.require_subcommand(1);
  app_.footer(
      "'halfbyte COMMAND --help' shows the options and examples of a command.\n"
      "Exit codes: 0 done, 1 failed, 2 the command line was not understood.");
}

CLI::App& CommandLine::add(const std::string& name, const std::string& description,
                           const std::string& examples, CommandRun run) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  runs_[command] = std::move(run);
  return *command;
}

bool CommandLine::is_command(const std::string& name) const {
  return std::ranges::any_of(runs_, [&](const auto& entry) { return entry.first->check_name(name); });
}

// --help and --version also arrive here, as ends that are no errors.
int CommandLine::report_parse_end(const CLI::ParseError& end) const {
  if (end.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app_.exit(end, std::cout, std::cerr);
  const auto chosen = app_.get_subcommands();
  const std::string help =
      chosen.empty() ? "halfbyte --help" : fmt::format("halfbyte {} --help", chosen[0]->get_name());
  fmt::print(stderr, "halfbyte: {}; see '{}'\n", end.what(), help);
  return kExitUsage;
}

int CommandLine::run(int argc, const char* const* argv) {
  // CLI11 would only say that a command is missing.
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') && !is_command(first)) {
    return report_error({ErrorCode::kInvalidArgument,
                         fmt::format("no command is called '{}'; see 'halfbyte --help'", first)});
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    return report_parse_end(end);
  }
  const auto exit_code = runs_.at(app_.get_subcommands().front())();
  return exit_code ? *exit_code : report_error(exit_code.error());
}

int report_error(const Error& error) {
  fmt::print(stderr, "halfbyte: {}\n", error.message);
  return error.code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailure;
}

}  // namespace hb
