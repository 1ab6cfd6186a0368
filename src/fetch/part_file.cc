#include "fetch/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace hb {
namespace {

constexpr size_t kReadBytes = 1 << 20;

std::unexpected<Error> io_error(const std::string& what, int error_number) {
  return fail(ErrorCode::kIo, fmt::format("{}: {}", what, std::strerror(error_number)));
}

Status make_parent_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(ErrorCode::kIo,
                fmt::format("cannot create folder '{}': {}", folder.string(), error.message()));
  return {};
}

// True if `path` still names the file behind `fd`. It may not: the previous owner of the lock may have
// renamed the file between our open() and our lock.
bool is_same_file(int fd, const std::string& path) {
  struct stat ours{}, named{};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

Result<int> open_locked(const std::string& path) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return io_error(fmt::format("cannot write '{}'", path), errno);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error_number = errno;
      ::close(fd);
      if (error_number != EWOULDBLOCK) return io_error(fmt::format("cannot lock '{}'", path), error_number);
      return fail(
          ErrorCode::kIo,
          fmt::format("another process is fetching into '{}'; wait until it is done, or stop it", path));
    }
    if (is_same_file(fd, path)) return fd;
    ::close(fd);
  }
}

}  // namespace

PartFile::PartFile(std::string target, int fd)
    : target_(std::move(target)), part_path_(target_ + ".part"), fd_(fd) {}

PartFile::~PartFile() {
  if (size_bytes_ == 0 && !finished_) ::unlink(part_path_.c_str());
  ::close(fd_);
}

Result<std::unique_ptr<PartFile>> PartFile::open(const std::string& target) {
  HB_TRY(make_parent_folder(target));
  HB_ASSIGN(const int fd, open_locked(target + ".part"));
  std::unique_ptr<PartFile> file(new PartFile(target, fd));
  HB_TRY(file->hash_existing());
  return file;
}

Status PartFile::hash_existing() {
  std::vector<uint8_t> buffer(kReadBytes);
  while (true) {
    const ssize_t got = ::pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(size_bytes_));
    if (got < 0) return io_error(fmt::format("cannot read '{}'", part_path_), errno);
    if (got == 0) return {};
    hash_.update(std::span(buffer).first(static_cast<size_t>(got)));
    size_bytes_ += static_cast<uint64_t>(got);
  }
}

Status PartFile::append(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return io_error(fmt::format("cannot write byte {} of '{}'", size_bytes_, part_path_), errno);
    }
    const auto done = static_cast<size_t>(written);
    hash_.update(bytes.first(done));
    size_bytes_ += done;
    bytes = bytes.subspan(done);
  }
  return {};
}

Status PartFile::restart() {
  if (::ftruncate(fd_, 0) != 0) return io_error(fmt::format("cannot empty '{}'", part_path_), errno);
  size_bytes_ = 0;
  hash_.reset();
  return {};
}

Result<std::string> PartFile::finish(const std::string& sha256) {
  const std::string digest = hash_.finish();
  if (!sha256.empty() && digest != sha256) {
    ::unlink(part_path_.c_str());
    return fail(ErrorCode::kBadFile,
                fmt::format("'{}' has SHA-256 {}, expected {}; the damaged file was removed, fetch it again",
                            target_, digest, sha256));
  }
  if (::fsync(fd_) != 0) return io_error(fmt::format("cannot save '{}'", part_path_), errno);
  if (::rename(part_path_.c_str(), target_.c_str()) != 0) {
    return io_error(fmt::format("cannot rename '{}' to '{}'", part_path_, target_), errno);
  }
  finished_ = true;
  return digest;
}

}  // namespace hb
