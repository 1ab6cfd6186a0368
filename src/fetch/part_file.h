// A file that is being fetched: "<target>.part" until it is whole and proven, then "<target>".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "fetch/sha256.h"

namespace hb {

// OWNS the open .part file and an exclusive lock on it. Destruction leaves a .part file with content for a
// later run to resume; so does the death of the process at any moment. THREADS: one.
class PartFile {
 public:
  // Opens or creates the .part file (and the folders above it) and hashes what is already there.
  // ERRORS: kIo if the system refuses, or if another process is fetching the same target.
  static Result<std::unique_ptr<PartFile>> open(const std::string& target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& part_path() const { return part_path_; }
  uint64_t size_bytes() const { return size_bytes_; }

  // ERRORS: kIo with the system's words (disk full). Whatever could be written stays and counts.
  Status append(std::span<const uint8_t> bytes);

  // Back to an empty file.
  Status restart();

  // Makes the file final. An empty `sha256` accepts any content. Returns the SHA-256 in hex.
  // ERRORS: kBadFile if the content is not what `sha256` says: the .part file is removed, because resuming
  // could never repair it. kIo.
  Result<std::string> finish(const std::string& sha256);

 private:
  PartFile(std::string target, int fd);
  Status hash_existing();

  std::string target_;
  std::string part_path_;
  int fd_;
  uint64_t size_bytes_ = 0;
  bool finished_ = false;
  Sha256 hash_;
};

}  // namespace hb
