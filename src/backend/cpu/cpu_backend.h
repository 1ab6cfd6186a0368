// The CPU backend: packed tiles, kernels for the best instruction set, a pool of threads.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "base/cpu_isa.h"
#include "base/cpu_mask.h"

namespace hb {

struct CpuBackendOptions {
  uint32_t threads = 1;      // at least 1
  std::string isa = "auto";  // or a name of isas.def
  CpuIsa cpu_isa = detect_cpu_isa();
  CpuMask cpu_mask = {};
  uint32_t spin_us = 30;
  bool huge_pages = true;
};

// THREADS: compile() and forward() of all its contexts take turns: they share the pool.
// ERRORS: kInvalidArgument, kUnsupported (the instruction set), kOutOfMemory.
Result<std::unique_ptr<Backend>> make_cpu_backend(const CpuBackendOptions& options);

}  // namespace hb
