// The machine's ceilings as benchmarks, beside which the kernels' rates are read.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/cpu_isa.h"
#include "bench_report.h"
#include "cases.h"
#include "lab/roofline_kernels.h"

namespace hb::bench {
namespace {

constexpr uint64_t kRounds = 100000;

void run_read(benchmark::State& state, const RooflineKernel& kernel, uint64_t size) {
  auto buffer = AlignedBuffer::allocate(size, AlignedBuffer::Pages::kHuge);
  HB_CHECK(buffer.has_value());
  std::memset(buffer->data(), 1, size);
  time_loop(state, {static_cast<double>(size), 0, false},
            [&] { benchmark::DoNotOptimize(kernel.run(buffer->data(), size)); });
}

void run_arithmetic(benchmark::State& state, const RooflineKernel& kernel) {
  const auto operations = static_cast<double>(kRounds * kernel.work_per_count);
  const Work work = {0, operations, kernel.op == RooflineOp::kIntegerDot};
  time_loop(state, work, [&] { benchmark::DoNotOptimize(kernel.run(nullptr, kRounds)); });
}

}  // namespace

void register_ceilings() {
  const CpuIsa isa = detect_cpu_isa();
  for (const RooflineKernel& kernel : roofline_kernels()) {
    if (!kernel.available(isa)) continue;
    const std::string name = fmt::format("ceiling_{}", kernel.name);
    if (kernel.op != RooflineOp::kRead) {
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&kernel](benchmark::State& state) { run_arithmetic(state, kernel); });
      continue;
    }
    for (const uint64_t size : {uint64_t{1} << 20, beyond_caches_bytes()}) {
      benchmark::RegisterBenchmark(
          fmt::format("{}/MiB:{}", name, size >> 20).c_str(),
          [&kernel, size](benchmark::State& state) { run_read(state, kernel, size); });
    }
  }
}

}  // namespace hb::bench
