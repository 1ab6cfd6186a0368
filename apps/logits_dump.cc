#include "apps/logits_dump.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace hb {
namespace {

// Version 1 of the format: magic, version, length of the rest (u16), a Python dictionary, padding, a line
// end.
constexpr size_t kHeaderBytes = 128;
constexpr size_t kPreambleBytes = 10;

std::string npy_header(uint64_t steps, uint32_t vocab) {
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(kHeaderBytes - kPreambleBytes);
  header += '\0';
  header += fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", steps, vocab);
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

std::unexpected<Error> write_error(const std::string& path) {
  return fail(ErrorCode::kIo, fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace

Result<LogitsDump> LogitsDump::create(const std::string& path, uint32_t vocab) {
  File file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file) return write_error(path);
  const std::string empty(kHeaderBytes, '\0');
  std::fwrite(empty.data(), 1, empty.size(), file.get());
  return LogitsDump(path, std::move(file), vocab);
}

void LogitsDump::add(std::span<const float> logits) {
  HB_CHECK_EQ(logits.size(), size_t{vocab_});
  std::fwrite(logits.data(), sizeof(float), logits.size(), file_.get());
  ++steps_;
}

Status LogitsDump::finish() {
  const std::string header = npy_header(steps_, vocab_);
  const bool failed = std::ferror(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0 ||
                      std::fwrite(header.data(), 1, header.size(), file_.get()) != header.size();
  if (std::fclose(file_.release()) != 0 || failed) return write_error(path_);
  return {};
}

}  // namespace hb
