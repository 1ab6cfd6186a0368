// The list of halfbyte's commands, in the order of --help. Each lives in its own file, <name>_command.cc.
#pragma once

#include "apps/command_line.h"

namespace hb {

void add_run_command(CommandLine& line);
void add_chat_command(CommandLine& line);
void add_bench_command(CommandLine& line);
void add_perplexity_command(CommandLine& line);
void add_inspect_command(CommandLine& line);
void add_tokenize_command(CommandLine& line);
void add_compare_command(CommandLine& line);
void add_roofline_command(CommandLine& line);
void add_devices_command(CommandLine& line);
void add_shaders_command(CommandLine& line);
void add_pull_command(CommandLine& line);
void add_completion_command(CommandLine& line);
void add_version_command(CommandLine& line);

inline void add_all_commands(CommandLine& line) {
  add_run_command(line);
  add_chat_command(line);
  add_bench_command(line);
  add_perplexity_command(line);
  add_inspect_command(line);
  add_tokenize_command(line);
  add_compare_command(line);
  add_roofline_command(line);
  add_devices_command(line);
  add_shaders_command(line);
  add_pull_command(line);
  add_completion_command(line);
  add_version_command(line);
}

}  // namespace hb
