// The loops that measure a CPU's ceilings, from one list (roofline_kernels.def).
#pragma once

#include <cstdint>
#include <span>

#include "base/cpu_isa.h"

namespace hb {

enum class RooflineOp {
  kRead,   // reads `count` bytes at `data`, a multiple of 256; work: bytes
  kFloat,  // `count` rounds of a multiplication and an addition, rounded apart; work: both count, per lane
  kIntegerDot,  // `count` rounds of int8 products summed to int32; work: product and sum count, per weight
};

// `data` is null for the arithmetic. The result depends on all the work, so that none can be left out.
using RooflineFunction = uint64_t (*)(const uint8_t* data, uint64_t count);

struct RooflineKernel {
  const char* name;
  RooflineOp op;
  const char* isa;
  bool (*available)(const CpuIsa& isa);
  uint64_t work_per_count;
  RooflineFunction run;
};

std::span<const RooflineKernel> roofline_kernels();

// The last kernel of the list that does `op` on such a CPU. There is always one.
const RooflineKernel& best_roofline_kernel(RooflineOp op, const CpuIsa& isa);

}  // namespace hb
