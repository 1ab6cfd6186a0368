// Logits as a NumPy file of shape (steps, vocab), float32: for 'halfbyte compare tensors' and for Python.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace hb {

// OWNS the file. A file that was not finished holds no valid header.
class LogitsDump {
 public:
  // ERRORS: kIo.
  static Result<LogitsDump> create(const std::string& path, uint32_t vocab);

  // REQUIRES: `vocab` logits. Errors of the system come out of finish().
  void add(std::span<const float> logits);

  // Writes the header, which has the number of steps, and closes the file. ERRORS: kIo.
  Status finish();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  LogitsDump(std::string path, File file, uint32_t vocab)
      : path_(std::move(path)), file_(std::move(file)), vocab_(vocab) {}

  std::string path_;
  File file_;
  uint32_t vocab_;
  uint64_t steps_ = 0;
};

}  // namespace hb
