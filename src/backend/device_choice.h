// The device that a user's words mean: for backends that may have several.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"

namespace hb {

struct DeviceCandidate {
  std::string name;
  std::string searched;  // what a part of a name is looked for in
  int rank;              // of usable ones the lowest is best, then the first
  Status usable;
};

// The index of the device. `wanted`: its index, a part of `searched` in any case, or nothing for the best
// one. `api`: for messages. ERRORS: kNotFound, with what there is; what `usable` says of a device that was
// named.
Result<size_t> choose_candidate(std::span<const DeviceCandidate> candidates, const std::string& wanted,
                                const char* api);

}  // namespace hb
