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
  const int map_errno = errno;
  ::close(fd);
  if (data == MAP_FAILED) {
    return fail(ErrorCode::kIo, fmt::format("cannot map '{}': {}", path, std::strerror(map_errno)));
  }
  std::unique_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->data_ = static_cast<uint8_t*>(data);
  file->size_bytes_ = size;
  file->guard_slot_ = sigbus_guard_add(data, size);
  return file;
}

MappedFile::~MappedFile() {
  sigbus_guard_remove(guard_slot_);
  ::munmap(data_, size_bytes_);
}

Status MappedFile::intact() const {
  if (!sigbus_guard_was_hit(guard_slot_)) return {};
  return fail(
      ErrorCode::kIo,
      fmt::format(
          "'{}' was truncated or became unreadable while it was in use; restore the file and start again",
          path_));
}

void MappedFile::release(size_t offset, size_t size_bytes) const {
  static const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + size_bytes) / page * page;
  if (begin < end && end <= size_bytes_) ::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace hb
