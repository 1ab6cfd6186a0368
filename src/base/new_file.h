// A file that is written whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace hb {

// Has another name until replace() gives it its own, in place of what was there; goes with the object if that
// never happens. ERRORS: kIo with the system's words (disk full); what was there before is unchanged.
class NewFile {
 public:
  static Result<std::unique_ptr<NewFile>> create(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status write(std::span<const uint8_t> bytes);
  Status sync();     // what was written is on the disk
  Status replace();  // the file has its own name
  Status finish();   // sync(), then replace()

 private:
  explicit NewFile(const std::string& path);
  std::unexpected<Error> failed() const;

  std::string path_;
  std::string temporary_;
  int fd_ = -1;
};

}  // namespace hb
