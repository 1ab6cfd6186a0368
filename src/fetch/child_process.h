// Another program, run without a shell, its output in a log file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hb {

// OWNS the child: the destructor stops it if it still runs.
// THREADS: one.
class ChildProcess {
 public:
  // argv[0] is looked up in PATH. `environment` ("NAME=value") replaces variables of ours. Standard input is
  // empty; both outputs are written to `log_path`. ERRORS: kNotFound if there is no such program, kIo
  // otherwise.
  static Result<ChildProcess> start(const std::vector<std::string>& argv,
                                    const std::vector<std::string>& environment, const std::string& log_path);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  bool has_ended();

  // Blocks. The exit code; 128 + n after signal n.
  int wait();

  // Terminates the child and waits for its end.
  void stop();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  void note_end(int wait_status);

  pid_t pid_;
  std::optional<int> exit_code_;
};

}  // namespace hb
