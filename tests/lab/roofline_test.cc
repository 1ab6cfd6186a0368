#include "lab/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/aligned_buffer.h"
#include "lab/roofline_kernels.h"

namespace hb {
namespace {

using testing::ElementsAre;

TEST(RooflineFormulaTest, SpreadOfOddEvenAndNone) {
  const Spread odd = spread_of({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.best, 3);
  EXPECT_EQ(odd.worst, 1);
  EXPECT_EQ(odd.repeats, 3u);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(spread_of({}).repeats, 0u);
}

TEST(RooflineFormulaTest, ReadPlansCoverTheBufferAndNoMore) {
  for (const uint64_t buffer_bytes :
       {uint64_t{8192}, uint64_t{512} << 10, uint64_t{16} << 20, (uint64_t{64} << 20) - 1,
        uint64_t{100'000'000}, uint64_t{1'000'000'000}}) {
    for (const uint32_t threads : {1u, 2u, 3u, 16u}) {
      const ReadPlan plan = plan_read(buffer_bytes, threads);
      const uint64_t covered = plan.chunk_count * plan.chunk_bytes;
      EXPECT_EQ(plan.chunk_bytes % 256, 0u);
      EXPECT_LE(covered, buffer_bytes);
      EXPECT_LT(buffer_bytes - covered, (plan.chunk_count + 1) * uint64_t{256});
      EXPECT_GE(plan.chunk_count, threads);
      EXPECT_EQ(plan.total_bytes(), covered * plan.passes);
    }
  }
}

TEST(RooflineFormulaTest, CachedBuffersAreReadAgain) {
  EXPECT_EQ(plan_read(1 << 20, 2).chunk_bytes, 512u << 10);
  EXPECT_EQ(plan_read(1 << 20, 2).passes, 64u);
  EXPECT_EQ(plan_read(1 << 20, 2).total_bytes(), 64u << 20);
  EXPECT_EQ(plan_read(uint64_t{1} << 30, 2).passes, 1u);
}

TEST(RooflineFormulaTest, DefaultsFollowTheMachine) {
  CpuInfo cpu;
  cpu.usable_cpu_count = 6;
  cpu.l2_bytes = 1 << 20;
  cpu.l3_bytes = 32 << 20;
  cpu.memory_available_bytes = uint64_t{8} << 30;
  EXPECT_THAT(default_thread_counts(cpu), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(default_buffer_bytes(cpu), ElementsAre(512 << 10, 16 << 20, 100'000'000, 1'000'000'000));
  cpu.memory_available_bytes = 100 << 20;
  EXPECT_THAT(default_buffer_bytes(cpu), ElementsAre(512 << 10, 16 << 20, 50 << 20));
  cpu.usable_cpu_count = 1;
  EXPECT_THAT(default_thread_counts(cpu), ElementsAre(1));
}

TEST(RooflineKernelTest, NamesAreUniqueAndEachOpHasAKernelForAnyCpu) {
  std::set<std::string> names;
  for (const RooflineKernel& kernel : roofline_kernels())
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  for (const auto op : {RooflineOp::kRead, RooflineOp::kFloat, RooflineOp::kIntegerDot}) {
    EXPECT_EQ(best_roofline_kernel(op, CpuIsa()).op, op);
  }
}

// A read loop that skips bytes would claim bandwidth it does not use.
TEST(RooflineKernelTest, ReadLoopsSeeEveryByte) {
  constexpr size_t kBytes = 1024;
  auto buffer = AlignedBuffer::allocate(kBytes).value();
  for (const RooflineKernel& kernel : roofline_kernels()) {
    if (kernel.op != RooflineOp::kRead || !kernel.available(detect_cpu_isa())) continue;
    for (size_t at = 0; at < kBytes; ++at) {
      buffer.data()[at] = 1;
      EXPECT_NE(kernel.run(buffer.data(), kBytes), 0u) << kernel.name << " at " << at;
      buffer.data()[at] = 0;
    }
    EXPECT_EQ(kernel.run(buffer.data(), kBytes), 0u) << kernel.name;
  }
}

// A loop that counts more products than it computes would claim speed it does not have. Each product is 7 *
// -3.
TEST(RooflineKernelTest, DotLoopsDoTheWorkTheyCount) {
  constexpr uint64_t kRounds = 10;
  for (const RooflineKernel& kernel : roofline_kernels()) {
    if (kernel.op != RooflineOp::kIntegerDot || !kernel.available(detect_cpu_isa())) continue;
    const auto products = static_cast<int64_t>(kRounds * kernel.work_per_count / 2);
    EXPECT_EQ(static_cast<int64_t>(kernel.run(nullptr, kRounds)), -21 * products) << kernel.name;
  }
}

// Measured once: the shortest run that has every kind of point.
const RooflineReport& small_report() {
  static const RooflineReport report =
      measure_roofline(detect_cpu_info(),
                       {.thread_counts = {2}, .buffer_bytes = {64 << 10, 65 << 20}, .budget_ms = 1})
          .value();
  return report;
}

TEST(RooflineTest, MeasuresEveryPoint) {
  const RooflineReport& report = small_report();
  ASSERT_EQ(report.bandwidth.size(), 2u);
  for (const BandwidthPoint& point : report.bandwidth) {
    EXPECT_GT(point.gbps.worst, 0);
    EXPECT_LE(point.gbps.worst, point.gbps.median);
    EXPECT_LE(point.gbps.median, point.gbps.best);
    EXPECT_GE(point.gbps.repeats, 3u);
    EXPECT_NE(point.kernel, "");
  }
  ASSERT_GE(report.peaks.size(), 2u);
  for (const PeakPoint& point : report.peaks) EXPECT_GT(point.gops.worst, 0) << point.kernel;
}

TEST(RooflineTest, WritesItsSchema) {
  const RooflineReport& report = small_report();
  const auto json = nlohmann::json::parse(roofline_json(report));
  EXPECT_EQ(json.at("schema"), "halfbyte.roofline/1");
  EXPECT_EQ(json.at("cpu").at("usable_cpus"), report.cpu.usable_cpu_count);
  ASSERT_EQ(json.at("bandwidth").size(), report.bandwidth.size());
  EXPECT_EQ(json.at("bandwidth")[1].at("buffer_bytes"), 65 << 20);
  EXPECT_EQ(json.at("bandwidth")[1].at("read_gbps").at("median"), report.bandwidth[1].gbps.median);
  ASSERT_EQ(json.at("peaks").size(), report.peaks.size());
  for (const auto& peak : json.at("peaks")) {
    EXPECT_TRUE(peak.at("kind") == "int8_dot" || peak.at("kind") == "f32_mul_add");
    EXPECT_GT(peak.at("gops").at("best"), 0);
  }
  EXPECT_THAT(roofline_table(report), testing::HasSubstr("68.2 MB"));
}

TEST(RooflineTest, ReportsWhatTheSystemRefuses) {
  const auto none = measure_roofline(CpuInfo(), {.thread_counts = {0}, .buffer_bytes = {4096}});
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
  const auto tiny = measure_roofline(CpuInfo(), {.thread_counts = {2}, .buffer_bytes = {511}});
  EXPECT_EQ(tiny.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(tiny.error().message, testing::HasSubstr("511 bytes"));
  const auto huge = measure_roofline(CpuInfo(), {.thread_counts = {1}, .buffer_bytes = {uint64_t{1} << 62}});
  EXPECT_EQ(huge.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace hb
