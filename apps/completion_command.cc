#include <fmt/format.h>

#include <memory>

#include "apps/commands.h"
#include "apps/completion.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte completion fish | source\n"
    "  source <(halfbyte completion zsh)\n"
    "  source <(halfbyte completion bash)       now; put the line into ~/.bashrc to keep it";

}  // namespace

void add_completion_command(CommandLine& line) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = line.add("completion", "Print a completion script for a shell", kExamples,
                               [shell, &line]() -> Result<int> {
                                 HB_ASSIGN(const std::string script, completion_script(line.app(), *shell));
                                 fmt::print("{}", script);
                                 return kExitOk;
                               });
  command.add_option("shell", *shell, "bash, zsh or fish")->required();
}

}  // namespace hb
