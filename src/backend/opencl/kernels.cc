#include "backend/opencl/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "backend/cpu/tile_layout.h"
#include "backend/opencl/embedded_sources.h"
#include "base/check.h"

namespace hb::opencl {
namespace {

// Of two kernels that fit, the one that serves more rows of the batch at a time, unless it would idle.
bool better(const Kernel& kernel, const Kernel& than, uint32_t rows) {
  const bool idles = kernel.columns > rows, other_idles = than.columns > rows;
  if (idles != other_idles) return other_idles;
  return idles ? kernel.columns < than.columns : kernel.columns > than.columns;
}

bool fits(const Kernel& kernel, const KernelRequest& request) {
  return kernel.op == request.op && kernel.type == request.type;
}

std::string describe(const KernelRequest& request) {
  return request.type ? tensor_type_name(*request.type) : fmt::format("op {}", static_cast<int>(request.op));
}

std::string_view embedded(std::string_view name) {
  const auto found = std::ranges::find(kEmbeddedSources, name, &EmbeddedSource::name);
  HB_CHECK(found != kEmbeddedSources.end());
  return found->text;
}

// Appends the file with its includes, each of them once but exact_functions.inl, which has no guard on
// purpose.
void append_file(std::string_view name, std::set<std::string_view>& done, std::string& out) {
  if (!done.insert(name).second && name != "base/exact_functions.inl") return;
  constexpr std::string_view kInclude = "#include \"";
  for (std::string_view rest = embedded(name); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (line.starts_with(kInclude)) {
      append_file(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()), done, out);
    } else {
      out += line;
    }
  }
}

std::string format_options(TensorType type) {
  const FormatTraits* format = find_format_traits(type);
  if (format == nullptr)
    return fmt::format(" -DFLOAT_TYPE={}", type == TensorType::kF32 ? 0 : type == TensorType::kF16 ? 1 : 2);
  const cpu::BlockLayout layout = cpu::block_layout(*format);
  return fmt::format(
      " -DBASE_BITS={} -DHIGH_BITS={} -DZERO_POINT={} -DCODEBOOK={} -DSCALES={} -DHIGH_OFFSET={} "
      "-DSCALE_OFFSET={}"
      " -DRECORD_BYTES={} -DHEADER_BYTES={}",
      layout.base_bits, layout.high_bits, format->zero_point, format->codebook ? 1 : 0,
      static_cast<int>(format->scales), layout.high_offset, layout.scale_offset, layout.bytes,
      layout.header_bytes);
}

}  // namespace

std::span<const Kernel> kernels() {
  static const auto all = std::to_array<Kernel>({
#define HB_OPENCL_KERNEL(name, op, source, entry) {#name, KernelOp::op, std::nullopt, 1, #source, #entry},
#define HB_OPENCL_WEIGHT_KERNEL(name, op, type, columns, source, entry) \
  {#name, KernelOp::op, TensorType::type, columns, #source, #entry},
#include "backend/opencl/kernels.def"
#undef HB_OPENCL_KERNEL
#undef HB_OPENCL_WEIGHT_KERNEL
  });
  return all;
}

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

std::string kernel_source(const Kernel& kernel) {
  std::string text;
  std::set<std::string_view> done;
  append_file(fmt::format("backend/opencl/kernels/{}.cl", kernel.source), done, text);
  return text;
}

std::string build_options(const Kernel& kernel) {
  std::string options = "-cl-std=CL1.2";
  if (kernel.type) options += format_options(*kernel.type) + fmt::format(" -DCOLUMNS={}", kernel.columns);
  return options;
}

Result<KernelSelection> choose_kernel(const DeviceFacts&, const KernelRequest& request,
                                      std::span<const std::string> forced) {
  for (const std::string& name : forced) {
    const Kernel* kernel = find_kernel(name);
    if (kernel != nullptr && fits(*kernel, request)) return KernelSelection{kernel, "forced"};
  }
  const Kernel* best = nullptr;
  for (const Kernel& kernel : kernels()) {
    if (fits(kernel, request) && (best == nullptr || better(kernel, *best, request.rows))) best = &kernel;
  }
  if (best == nullptr) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the OpenCL backend has no kernel for {}", describe(request)));
  }
  return KernelSelection{best,
                         fmt::format("batches of up to {}: {} rows at a time", request.rows, best->columns)};
}

}  // namespace hb::opencl
