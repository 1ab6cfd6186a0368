#include "lab/roofline_kernels.h"

#include "base/check.h"

namespace hb {
namespace roofline {
#define HB_ROOFLINE(function, op, isa_name, condition, work) \
  uint64_t function(const uint8_t* data, uint64_t count);
#include "lab/roofline_kernels.def"
#undef HB_ROOFLINE
}  // namespace roofline

namespace {

constexpr RooflineKernel kKernels[] = {
#define HB_ROOFLINE(function, op, isa_name, condition, work)                           \
  {#function, RooflineOp::op,    isa_name, [](const CpuIsa& isa [[maybe_unused]]) { return condition; }, \
   work,      roofline::function},
#include "lab/roofline_kernels.def"
#undef HB_ROOFLINE
};

}  // namespace

std::span<const RooflineKernel> roofline_kernels() { return kKernels; }

const RooflineKernel& best_roofline_kernel(RooflineOp op, const CpuIsa& isa) {
  const RooflineKernel* best = nullptr;
  for (const RooflineKernel& kernel : kKernels) {
    if (kernel.op == op && kernel.available(isa)) best = &kernel;
  }
  HB_CHECK(best != nullptr);
  return *best;
}

}  // namespace hb
