// Runs the halfbyte binary as a user's shell does.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace hb {

struct BinaryRun {
  int exit_code = -1;
  std::string output;  // both streams
};

// Both are read by the shell: quote what needs it. REQUIRES HALFBYTE_BINARY to be defined by the build.
inline BinaryRun run_command(const std::string& command) {
  BinaryRun run;
  std::FILE* pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    run.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

inline BinaryRun run_halfbyte(const std::string& arguments) {
  return run_command(std::string("'") + HALFBYTE_BINARY + "' " + arguments);
}

}  // namespace hb
