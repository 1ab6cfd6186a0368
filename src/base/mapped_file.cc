#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/sigbus_guard.h"

namespace hb {
namespace {

int64_t modified_ns(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return fail(code, fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  }
  struct stat info{};
  const bool known = ::fstat(fd, &info) == 0;
  if (!known || !S_ISREG(info.st_mode) || info.st_size == 0) {
    ::close(fd);
    if (known && S_ISREG(info.st_mode)) return fail(ErrorCode::kBadFile, fmt::format("'{}' is empty", path));
    return fail(ErrorCode::kIo, fmt::format("'{}' is not a regular file", path));
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    const int map_errno = errno;
    ::close(fd);
    const ErrorCode code = map_errno == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo;
    return fail(code, fmt::format("cannot map '{}': {}", path, std::strerror(map_errno)));
  }
  std::unique_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->data_ = static_cast<uint8_t*>(data);
  file->size_bytes_ = size;
  file->modified_ns_ = modified_ns(info);
  file->fd_ = fd;
  file->guard_slot_ = sigbus_guard_add(data, size);
  return file;
}

MappedFile::~MappedFile() {
  sigbus_guard_remove(guard_slot_);
  ::munmap(data_, size_bytes_);
  ::close(fd_);
}

Status MappedFile::intact() const {
  struct stat now{};
  const bool same = ::fstat(fd_, &now) == 0 && static_cast<size_t>(now.st_size) == size_bytes_ &&
                    modified_ns(now) == modified_ns_;
  if (same && !sigbus_guard_was_hit(guard_slot_)) return {};
  const char* what = same ? "became unreadable" : "was changed or truncated";
  return fail(ErrorCode::kIo,
              fmt::format("'{}' {} while it was in use; restore the file and start again", path_, what));
}

void MappedFile::release(size_t offset, size_t size_bytes) const {
  static const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + size_bytes) / page * page;
  if (begin < end && end <= size_bytes_) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace hb
