#include "fetch/sha256_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mapped_file.h"
#include "fetch/sha256.h"

namespace hb {

Result<std::string> sha256_of_file(const std::string& path, const ProgressFn& progress) {
  constexpr size_t kChunkBytes = 4 << 20;
  HB_ASSIGN(const auto file, MappedFile::open(path));
  const auto bytes = file->bytes();
  Sha256 hash;
  for (size_t done = 0; done < bytes.size(); done += kChunkBytes) {
    hash.update(bytes.subspan(done, std::min(kChunkBytes, bytes.size() - done)));
    if (!report(progress, {"checking SHA-256", done, bytes.size()})) {
      return fail(ErrorCode::kCancelled, fmt::format("'{}': stopped on request", path));
    }
  }
  HB_TRY(file->intact());
  return hash.finish();
}

}  // namespace hb
