// A read-only, memory-mapped file that survives being truncated by somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace hb {

// OWNS the mapping. BORROWS nothing. Spans into bytes() live as long as the MappedFile.
// THREADS: all const methods may be called from any thread.
//
// A page that vanishes under the mapping (the file was truncated, its disk failed) would raise SIGBUS. The
// first MappedFile installs a handler that puts a page of zeros there and remembers it; faults elsewhere go
// to the handler that was there before. Readers finish, then ask intact(): if false, what they read is
// worthless.
class MappedFile {
 public:
  // ERRORS: kNotFound, kIo, kOutOfMemory (the path and the system's words are in the message). An empty file
  // is a kBadFile.
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_bytes_}; }
  const std::string& path() const { return path_; }

  // An error if the file was changed, shrank or its pages could not be read since open().
  Status intact() const;

  // Tells the system that [offset, offset + size) will not be read again, so that its pages stop counting as
  // ours.
  void release(size_t offset, size_t size_bytes) const;

 private:
  MappedFile() = default;

  std::string path_;
  uint8_t* data_ = nullptr;
  size_t size_bytes_ = 0;
  int64_t modified_ns_ = 0;  // since the epoch, at open()
  int fd_ = -1;              // kept to see changes
  int guard_slot_ = -1;
};

}  // namespace hb
