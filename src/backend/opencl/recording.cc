#include "backend/opencl/recording.h"

#include <fmt/format.h>

namespace hb::opencl {
namespace {

Status set_arguments(const KernelObject& kernel, const Dispatch& dispatch) {
  const Library& cl = kernel.device()->cl();
  for (cl_uint i = 0; i < dispatch.arguments.size(); ++i) {
    const auto set = [&](const auto& value) {
      return cl.clSetKernelArg(kernel.get(), i, sizeof value, &value);
    };
    HB_CL(std::visit(set, dispatch.arguments[i]),
          fmt::format("setting argument {} of kernel '{}'", i, dispatch.kernel->name));
  }
  return {};
}

}  // namespace

Result<Recording> Recording::create(Programs& programs, std::vector<Dispatch> dispatches) {
  Recording self;
  for (Dispatch& dispatch : dispatches) {
    HB_ASSIGN(KernelObject kernel, programs.new_kernel(*dispatch.kernel));
    HB_TRY(set_arguments(kernel, dispatch));
    self.steps_.push_back({std::move(kernel), std::move(dispatch)});
  }
  return self;
}

Status Recording::enqueue(const BatchShape& shape, Queue& queue, const EnqueueOptions& options) const {
  const Library& cl = queue.device()->cl();
  uint32_t unflushed = 0;
  for (const Step& step : steps_) {
    const Extent extent = step.dispatch.extent(shape);
    if (extent.x == 0 || extent.y == 0) continue;
    const size_t group[2] = {step.dispatch.group_x, 1};
    const size_t global[2] = {(extent.x + group[0] - 1) / group[0] * group[0], extent.y};
    const cl_int code = cl.clEnqueueNDRangeKernel(queue.handle(), step.kernel.get(), 2, nullptr, global,
                                                  group, 0, nullptr, nullptr);
    if (code != CL_SUCCESS)
      return std::unexpected(cl_error(code, fmt::format("running kernel '{}'", step.dispatch.kernel->name)));
    if (options.flush_every == 0 || ++unflushed < options.flush_every) continue;
    unflushed = 0;
    HB_TRY(options.wait ? queue.finish() : queue.flush());
  }
  return queue.flush();
}

}  // namespace hb::opencl
