// What every command has in common: parsing, help with examples, errors and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

#include "base/error.h"

namespace hb {

// Exit codes of the process.
constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;  // the command was understood and failed
constexpr int kExitUsage = 2;    // the command was not understood

// Does a command's work after its options are parsed; returns the exit code.
using CommandRun = std::function<Result<int>()>;

class CommandLine {
 public:
  CommandLine();

  // A subcommand, to which the caller adds options. `examples` follow its --help: lines of "  halfbyte NAME
  // …".
  CLI::App& add(const std::string& name, const std::string& description, const std::string& examples,
                CommandRun run);

  // Parses, runs and returns the exit code. An error is one line on standard error, "halfbyte: <message>".
  int run(int argc, const char* const* argv);

  const CLI::App& app() const { return app_; }

 private:
  bool is_command(const std::string& name) const;
  int report_parse_end(const CLI::ParseError& end) const;

  CLI::App app_;
  std::map<const CLI::App*, CommandRun> runs_;
};

// Tells the user on standard error; returns the exit code that `error` means.
int report_error(const Error& error);

}  // namespace hb
