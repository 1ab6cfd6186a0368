// A halfbyte process that runs while the test talks to it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

namespace hb::test {

// OWNS the process: the destructor kills it if it still runs.
class LiveProcess {
 public:
  enum class Input { kPipe, kTerminal };

  // Both outputs come out of wait_for() and finish(). A terminal is one for input and output.
  LiveProcess(Input input, const std::vector<std::string>& arguments, const std::string& cache_dir) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    if (input == Input::kTerminal) {
      pid_ = ::forkpty(&output_, nullptr, nullptr, nullptr);
      input_ = output_;
    } else {
      if (::pipe(to) != 0 || ::pipe(from) != 0) std::abort();
      pid_ = ::fork();
      input_ = to[1];
      output_ = from[0];
    }
    if (pid_ < 0) std::abort();  // kill() would take -1 for every process
    if (pid_ == 0) become(input, to, from, arguments, cache_dir);
    if (input == Input::kPipe) {
      ::close(to[0]);
      ::close(from[1]);
    }
  }
  ~LiveProcess() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    ::close(output_);
  }
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  void type(const std::string& text) { (void)!::write(input_, text.data(), text.size()); }
  void interrupt() { ::kill(pid_, SIGINT); }

  // True once the output after the last match holds `text`; false after ten seconds.
  bool wait_for(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      const size_t at = seen_.find(text, matched_);
      if (at != seen_.npos) {
        matched_ = at + text.size();
        return true;
      }
      if (!read_more(100)) return seen_.find(text, matched_) != seen_.npos;
    }
    return false;
  }

  // True once there are `count` bytes of output after the last match; false after ten seconds.
  bool wait_for_bytes(size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (seen_.size() < matched_ + count) {
      if (std::chrono::steady_clock::now() > end || !read_more(100)) return false;
    }
    return true;
  }

  // Closes the input, waits for the end and returns the exit code; -1 after ten seconds.
  int finish() {
    if (input_ != output_) ::close(input_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end && read_more(100)) {
    }
    int status = 0;
    if (std::chrono::steady_clock::now() >= end || ::waitpid(pid_, &status, 0) != pid_) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& output() const { return seen_; }

 private:
  [[noreturn]] static void become(Input input, const int* to, const int* from,
                                  const std::vector<std::string>& arguments, const std::string& cache_dir) {
    if (input == Input::kPipe) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      ::dup2(from[1], 2);
      for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
    }
    ::setenv("HALFBYTE_CACHE_DIR", cache_dir.c_str(), 1);
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    std::vector<char*> argv = {const_cast<char*>(HALFBYTE_BINARY)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(HALFBYTE_BINARY, argv.data());
    ::_exit(127);
  }

  // False when there is nothing more to come.
  bool read_more(int timeout_ms) {
    pollfd wanted = {output_, POLLIN, 0};
    if (::poll(&wanted, 1, timeout_ms) <= 0) return true;
    char piece[4096];
    const ssize_t got = ::read(output_, piece, sizeof piece);
    if (got <= 0) return false;
    seen_.append(piece, static_cast<size_t>(got));
    return true;
  }

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string seen_;
  size_t matched_ = 0;
};

}  // namespace hb::test
