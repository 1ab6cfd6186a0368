#include "bench_report.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "base/cpu_info.h"
#include "lab/roofline.h"
#include "lab/roofline_kernels.h"

namespace hb::bench {
namespace {

constexpr uint64_t kLeastRing = uint64_t{256} << 20;
constexpr uint64_t kMostRing = uint64_t{1} << 30;
constexpr uint64_t kDotRounds = 200000;
constexpr int kRepeats = 7;

bool g_any_wrong = false;

// The median rate of the loop, in 10^9 units of its work a second.
double median_rate(const RooflineKernel& kernel, const uint8_t* data, uint64_t count) {
  std::vector<double> rates;
  for (int i = 0; i < kRepeats; ++i) {
    const double begin = thread_cpu_seconds();
    benchmark::DoNotOptimize(kernel.run(data, count));
    rates.push_back(static_cast<double>(count * kernel.work_per_count) / (thread_cpu_seconds() - begin) *
                    1e-9);
  }
  return spread_of(rates).median;
}

double read_rate(const CpuIsa& isa) {
  const uint64_t size = beyond_caches_bytes();
  auto buffer = AlignedBuffer::allocate(size, AlignedBuffer::Pages::kHuge);
  HB_CHECK(buffer.has_value());
  std::memset(buffer->data(), 1, size);
  double best = 0;
  for (const RooflineKernel& kernel : roofline_kernels()) {
    if (kernel.op != RooflineOp::kRead || !kernel.available(isa)) continue;
    best = std::max(best, median_rate(kernel, buffer->data(), size));
  }
  return best;
}

}  // namespace

const Ceilings& ceilings() {
  static const Ceilings measured = [] {
    const CpuIsa isa = detect_cpu_isa();
    const RooflineKernel& dot = best_roofline_kernel(RooflineOp::kIntegerDot, isa);
    return Ceilings{read_rate(isa), median_rate(dot, nullptr, kDotRounds)};
  }();
  return measured;
}

uint64_t beyond_caches_bytes() {
  static const uint64_t bytes = std::clamp(4 * detect_cpu_info().l3_bytes, kLeastRing, kMostRing);
  return bytes;
}

double thread_cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void add_rates(benchmark::State& state, const Work& work, double cpu_seconds) {
  const double giga_per_second = 1e-9 * static_cast<double>(state.iterations()) / cpu_seconds;
  if (work.bytes > 0) {
    state.counters["GB/s"] = work.bytes * giga_per_second;
    state.counters["of_read"] = work.bytes * giga_per_second / ceilings().read_gbps;
  }
  if (work.operations == 0) return;
  state.counters["GOPS"] = work.operations * giga_per_second;
  if (work.integer_dot) state.counters["of_dot"] = work.operations * giga_per_second / ceilings().dot_gops;
}

bool same_values(std::span<const float> a, std::span<const float> b) { return std::ranges::equal(a, b); }

bool require_right(benchmark::State& state, bool right) {
  if (right) return true;
  g_any_wrong = true;
  state.SkipWithError("the result differs from the reference's");
  return false;
}

bool any_wrong() { return g_any_wrong; }

}  // namespace hb::bench
