#include "fetch/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

namespace hb {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Our environment with `changes` laid over it.
std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> merged = changes;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string_view prefix = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& change : changes) replaced = replaced || change.starts_with(prefix);
    if (!replaced) merged.emplace_back(text);
  }
  return merged;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& argv,
                                         const std::vector<std::string>& environment,
                                         const std::string& log_path) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> variables = merged_environment(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, arguments[0].c_str(), &actions, nullptr,
                                   pointers_to(arguments).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return fail(code,
                fmt::format("cannot start '{}' (log '{}'): {}", argv[0], log_path, std::strerror(error)));
  }
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_code_(other.exit_code_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) stop();
}

void ChildProcess::note_end(int wait_status) {
  exit_code_ = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

bool ChildProcess::has_ended() {
  int wait_status = 0;
  if (!exit_code_ && ::waitpid(pid_, &wait_status, WNOHANG) == pid_) note_end(wait_status);
  return exit_code_.has_value();
}

int ChildProcess::wait() {
  int wait_status = 0;
  while (!exit_code_) {
    if (::waitpid(pid_, &wait_status, 0) == pid_) {
      note_end(wait_status);
    } else if (errno != EINTR) {
      exit_code_ = 127;  // somebody else reaped it: how it ended is unknown
    }
  }
  return *exit_code_;
}

void ChildProcess::stop() {
  if (!has_ended()) ::kill(pid_, SIGTERM);
  wait();
}

}  // namespace hb
