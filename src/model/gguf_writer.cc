#include "model/gguf_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hb {

GgufWriter::GgufWriter(std::string path, GgufHeader header)
    : path_(std::move(path)),
      temporary_path_(fmt::format("{}.part-{}", path_, ::getpid())),
      header_(std::move(header)) {}

Result<std::unique_ptr<GgufWriter>> GgufWriter::create(const std::string& path, GgufHeader header) {
  std::unique_ptr<GgufWriter> writer(new GgufWriter(path, std::move(header)));
  writer->fd_ = ::open(writer->temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writer->fd_ < 0) return std::unexpected(writer->system_error("create"));
  HB_TRY(writer->write_all(writer->header_.bytes()));
  return writer;
}

GgufWriter::~GgufWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_path_.c_str());
}

Error GgufWriter::system_error(const char* action) const {
  return {ErrorCode::kIo, fmt::format("cannot {} '{}': {}", action, temporary_path_, std::strerror(errno))};
}

Status GgufWriter::write_all(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(system_error("write"));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

const GgufHeader::Tensor& GgufWriter::next_tensor() const {
  HB_CHECK_LT(tensor_index_, header_.tensors().size());
  return header_.tensors()[tensor_index_];
}

Status GgufWriter::write(std::span<const uint8_t> bytes) {
  const uint64_t size = next_tensor().size_bytes;
  HB_CHECK_LE(bytes.size(), size - written_bytes_);
  HB_TRY(write_all(bytes));
  written_bytes_ += bytes.size();
  if (written_bytes_ < size) return {};
  ++tensor_index_;
  written_bytes_ = 0;
  const uint64_t alignment = header_.alignment();
  return write_all(std::vector<uint8_t>((alignment - size % alignment) % alignment));
}

Status GgufWriter::finish() {
  HB_CHECK_EQ(tensor_index_, header_.tensors().size());
  if (::fsync(fd_) != 0) return std::unexpected(system_error("flush"));
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return std::unexpected(system_error("rename"));
  const int fd = std::exchange(fd_, -1);
  ::close(fd);
  return {};
}

}  // namespace hb
