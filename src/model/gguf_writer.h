// Writes a GGUF file tensor by tensor: nobody needs the whole model in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "model/gguf_header.h"

namespace hb {

// The file grows under a temporary name beside `path` and takes its name in finish(); a writer that is
// destroyed before leaves nothing behind.
class GgufWriter {
 public:
  // ERRORS: kIo, also from every other function (disk full, no permission), with the path and the system's
  // words.
  static Result<std::unique_ptr<GgufWriter>> create(const std::string& path, GgufHeader header);
  ~GgufWriter();
  GgufWriter(const GgufWriter&) = delete;
  GgufWriter& operator=(const GgufWriter&) = delete;

  // The tensor whose bytes come next. REQUIRES: one is left.
  const GgufHeader::Tensor& next_tensor() const;

  // The next bytes of that tensor, whole or in pieces. REQUIRES: a piece ends with the tensor or before.
  Status write(std::span<const uint8_t> bytes);

  // The file is complete, on the disk, and has its name. REQUIRES: every tensor was written.
  Status finish();

 private:
  GgufWriter(std::string path, GgufHeader header);
  Status write_all(std::span<const uint8_t> bytes);
  Error system_error(const char* action) const;

  std::string path_;
  std::string temporary_path_;
  GgufHeader header_;
  int fd_ = -1;
  size_t tensor_index_ = 0;
  uint64_t written_bytes_ = 0;  // of the current tensor
};

}  // namespace hb
