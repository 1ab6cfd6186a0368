#include "fetch/wheel.h"

#include <fmt/format.h>
#include <zip.h>

#include <memory>
#include <vector>

namespace hb {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

std::unexpected<Error> bad_wheel(const std::string& wheel, const std::string& what) {
  return fail(ErrorCode::kBadFile, fmt::format("'{}': {}", wheel, what));
}

Result<Archive> open_archive(const std::string& wheel) {
  int code = 0;
  Archive archive(zip_open(wheel.c_str(), ZIP_RDONLY, &code), &zip_discard);
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string words = zip_error_strerror(&error);
  zip_error_fini(&error);
  return bad_wheel(wheel, words);
}

}  // namespace

Status read_wheel_member(const std::string& wheel, const std::string& member, uint64_t limit_bytes,
                         const ByteSink& sink) {
  HB_ASSIGN(const Archive archive, open_archive(wheel));
  const Member file(zip_fopen(archive.get(), member.c_str(), 0), &zip_fclose);
  if (!file) return bad_wheel(wheel, fmt::format("no '{}' inside: {}", member, zip_strerror(archive.get())));
  std::vector<uint8_t> chunk(kChunkBytes);
  uint64_t total_bytes = 0;
  while (true) {
    const zip_int64_t got = zip_fread(file.get(), chunk.data(), chunk.size());
    if (got < 0)
      return bad_wheel(wheel, fmt::format("'{}' is damaged: {}", member, zip_file_strerror(file.get())));
    if (got == 0) return {};
    total_bytes += static_cast<uint64_t>(got);
    if (total_bytes > limit_bytes) {
      return bad_wheel(wheel, fmt::format("'{}' is larger than the expected {} bytes", member, limit_bytes));
    }
    HB_TRY(sink(std::span(chunk).first(static_cast<size_t>(got))));
  }
}

}  // namespace hb
