#include "lab/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "lab/roofline_kernels.h"

namespace hb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kReadStep = 256;              // bytes: what a read loop takes at once
constexpr uint64_t kMemoryChunk = 1 << 20;       // bytes
constexpr uint64_t kCachedBelow = 64 << 20;      // bytes: smaller buffers are divided by thread
constexpr uint64_t kCachedPassBytes = 32 << 20;  // bytes that a thread reads of its part of a cached buffer
constexpr uint64_t kPeakChunkWork = 1 << 24;     // operations: 10 microseconds to a millisecond
constexpr uint32_t kMinRepeats = 3;

// The results of all loops end here, so that the compiler must compute them.
std::atomic<uint64_t> g_sink{0};

// Calls body() until the budget is spent, at least kMinRepeats times. body's work over its time, in units of
// 10^9 a second, each time.
template <class Body>
std::vector<double> time_rates(double work, uint32_t budget_ms, Body body) {
  std::vector<double> rates;
  const auto deadline = Clock::now() + std::chrono::milliseconds(budget_ms);
  do {
    const auto begin = Clock::now();
    body();
    rates.push_back(work / std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  } while (rates.size() < kMinRepeats || Clock::now() < deadline);
  return rates;
}

void read_once(ThreadPool& pool, const uint8_t* data, const ReadPlan& plan, RooflineFunction read) {
  pool.parallel_for(plan.chunk_count, [&](uint32_t chunk, uint32_t) {
    uint64_t seen = 0;
    for (uint32_t pass = 0; pass < plan.passes; ++pass)
      seen |= read(data + chunk * plan.chunk_bytes, plan.chunk_bytes);
    g_sink.fetch_or(seen, std::memory_order_relaxed);
  });
}

PeakPoint measure_peak(ThreadPool& pool, const RooflineKernel& kernel, uint32_t budget_ms) {
  const uint32_t chunk_count = pool.thread_count() * 4;
  const uint64_t rounds = kPeakChunkWork / kernel.work_per_count;
  const double work = static_cast<double>(chunk_count * rounds * kernel.work_per_count);
  const auto rates = time_rates(work, budget_ms, [&] {
    pool.parallel_for(chunk_count, [&](uint32_t, uint32_t) { g_sink.fetch_or(kernel.run(nullptr, rounds)); });
  });
  return {.threads = pool.thread_count(),
          .kernel = kernel.name,
          .isa = kernel.isa,
          .is_integer = kernel.op == RooflineOp::kIntegerDot,
          .gops = spread_of(rates)};
}

Status check_buffers(std::span<const uint64_t> sizes, std::span<const uint32_t> threads) {
  for (const uint64_t size : sizes) {
    for (const uint32_t count : threads) {
      if (size >= kReadStep * count) continue;
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("a buffer of {} bytes is too small for {} threads; it must "
                              "be at least {} bytes",
                              size, count, kReadStep * count));
    }
  }
  return {};
}

// Touches every page, with all threads, and leaves no two pages alike.
void fill(ThreadPool& pool, std::span<uint8_t> bytes) {
  const auto chunk_count = static_cast<uint32_t>((bytes.size() + kMemoryChunk - 1) / kMemoryChunk);
  pool.parallel_for(chunk_count, [&](uint32_t chunk, uint32_t) {
    const size_t begin = chunk * kMemoryChunk;
    std::memset(bytes.data() + begin, static_cast<int>(chunk % 255 + 1),
                std::min(kMemoryChunk, bytes.size() - begin));
  });
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.back(), values.front(), static_cast<uint32_t>(values.size())};
}

ReadPlan plan_read(uint64_t buffer_bytes, uint32_t threads) {
  if (buffer_bytes < kCachedBelow) {
    const uint64_t chunk_bytes = buffer_bytes / threads / kReadStep * kReadStep;
    const uint64_t passes = std::max(kCachedPassBytes / std::max(chunk_bytes, kReadStep), uint64_t{1});
    return {threads, chunk_bytes, static_cast<uint32_t>(passes)};
  }
  const auto chunk_count = static_cast<uint32_t>(buffer_bytes / kMemoryChunk);
  return {chunk_count, buffer_bytes / chunk_count / kReadStep * kReadStep, 1};
}

std::vector<uint32_t> default_thread_counts(const CpuInfo& cpu) {
  std::vector<uint32_t> counts;
  for (uint32_t count = 1; count < cpu.usable_cpu_count; count *= 2) counts.push_back(count);
  counts.push_back(cpu.usable_cpu_count);
  return counts;
}

std::vector<uint64_t> default_buffer_bytes(const CpuInfo& cpu) {
  const uint64_t l2 = cpu.l2_bytes != 0 ? cpu.l2_bytes : 512 << 10;
  const uint64_t l3 = cpu.l3_bytes != 0 ? cpu.l3_bytes : 4 << 20;
  // Half of a cache: the other half is for whoever shares it. 100 MB is a small model, 1 GB beyond any cache.
  std::vector<uint64_t> sizes = {l2 / 2, l3 / 2, 100'000'000, 1'000'000'000};
  const uint64_t limit = std::max(cpu.memory_available_bytes / 2, uint64_t{1} << 20);
  for (uint64_t& size : sizes) size = std::min(size, limit);
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

BandwidthPoint measure_bandwidth(ThreadPool& pool, std::span<const uint8_t> bytes, const CpuIsa& isa,
                                 uint32_t budget_ms) {
  const ReadPlan plan = plan_read(bytes.size(), pool.thread_count());
  HB_CHECK_LT(uint64_t{0}, plan.chunk_bytes);
  const std::string best_isa = best_roofline_kernel(RooflineOp::kRead, isa).isa;
  BandwidthPoint point;
  point.threads = pool.thread_count();
  point.buffer_bytes = bytes.size();
  for (const RooflineKernel& kernel : roofline_kernels()) {
    if (kernel.op != RooflineOp::kRead || kernel.isa != best_isa) continue;
    const auto rates = time_rates(static_cast<double>(plan.total_bytes()), budget_ms / 2,
                                  [&] { read_once(pool, bytes.data(), plan, kernel.run); });
    const Spread gbps = spread_of(rates);
    if (gbps.median <= point.gbps.median) continue;
    point.kernel = kernel.name;
    point.gbps = gbps;
  }
  return point;
}

Result<RooflineReport> measure_roofline(const CpuInfo& cpu, const RooflineOptions& options) {
  const auto threads = options.thread_counts.empty() ? default_thread_counts(cpu) : options.thread_counts;
  const auto sizes = options.buffer_bytes.empty() ? default_buffer_bytes(cpu) : options.buffer_bytes;
  HB_TRY(check_buffers(sizes, threads));
  HB_ASSIGN(AlignedBuffer buffer, AlignedBuffer::allocate(sizes.empty() ? 0 : std::ranges::max(sizes),
                                                          AlignedBuffer::Pages::kHuge));
  RooflineReport report;
  report.cpu = cpu;
  bool filled = false;
  for (const uint32_t count : threads) {
    HB_ASSIGN(const auto pool, ThreadPool::create({count, options.cpu_mask, options.spin_us}));
    if (!filled) fill(*pool, buffer.as<uint8_t>());
    filled = true;
    for (const uint64_t size : sizes) {
      report.bandwidth.push_back(
          measure_bandwidth(*pool, buffer.as<const uint8_t>().first(size), cpu.isa, options.budget_ms));
    }
    for (const RooflineKernel& kernel : roofline_kernels()) {
      if (kernel.op == RooflineOp::kRead || !kernel.available(cpu.isa)) continue;
      report.peaks.push_back(measure_peak(*pool, kernel, options.budget_ms));
    }
  }
  return report;
}

}  // namespace hb
