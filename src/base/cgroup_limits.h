// What a container or a service manager lets this process use.
#pragma once

#include <cstdint>
#include <optional>

#include "base/system_files.h"

namespace hb {

// Nothing: unlimited, or no control groups here.
struct CgroupLimits {
  std::optional<double> cpus;  // CPU time a second: 1.5 is one and a half CPUs
  std::optional<uint64_t> memory_bytes;
};

// The tightest limits of the process's group and its parents, of control groups version 2 and 1.
CgroupLimits read_cgroup_limits(const SystemFiles& files);

}  // namespace hb
