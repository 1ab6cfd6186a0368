// A file system that is soon full.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

namespace hb::test {

// Runs `work` in a child, to which `folder` is an empty file system of (size_bytes); nothing of it is left.
// `work` returns what is wrong, or nothing. Returns the same; "skip: why" if this system mounts nothing.
inline std::string on_small_disk(const std::string& folder, size_t size_bytes,
                                 const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string size = "size=" + std::to_string(size_bytes);
    std::string words;
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", folder.c_str(), "tmpfs", 0, size.c_str()) != 0)
      words = std::string("skip: no file system may be mounted: ") + std::strerror(errno);
    else
      words = work();
    ::_exit(::write(ends[1], words.data(), words.size()) == static_cast<ssize_t>(words.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string words;
  char buffer[1024];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    words.append(buffer, static_cast<size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) return "the child died: " + words;
  return words;
}

}  // namespace hb::test
