// Brings one wheel with the user's own pip, whose configuration decides the package index.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "fetch/progress.h"

namespace hb {

struct PipRequest {
  std::string package;
  std::string version;
  std::string folder;        // the wheel ends here; pip's temporary files and log stay inside as well
  uint64_t wheel_bytes = 0;  // for progress only
  ProgressFn progress;
};

// Path of the wheel, which is whole: pip checked it and it was renamed into the folder. Found at once if an
// earlier run left it there. pip cannot continue a file that was interrupted; it is fetched again. ERRORS:
// kNotFound (no python3, or python3 has no pip), kIo (pip failed: its own words), kCancelled.
Result<std::string> pip_download(const PipRequest& request);

}  // namespace hb
