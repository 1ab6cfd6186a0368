#include "base/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace hb {

NewFile::NewFile(const std::string& path)
    : path_(path), temporary_(fmt::format("{}.{}.part", path, ::getpid())) {}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Result<std::unique_ptr<NewFile>> NewFile::create(const std::string& path) {
  std::unique_ptr<NewFile> file(new NewFile(path));
  file->fd_ = ::open(file->temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file->fd_ < 0) return file->failed();
  return file;
}

Status NewFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status NewFile::sync() { return ::fsync(fd_) == 0 ? Status() : failed(); }

Status NewFile::replace() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed();
  ::close(std::exchange(fd_, -1));
  return {};
}

Status NewFile::finish() {
  HB_TRY(sync());
  return replace();
}

std::unexpected<Error> NewFile::failed() const {
  return fail(ErrorCode::kIo, fmt::format("cannot write '{}': {}; what was there before is unchanged", path_,
                                          std::strerror(errno)));
}

}  // namespace hb
