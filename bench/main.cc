// Benchmarks of the CPU kernels, for every instruction set that this machine has. README.md shows how to read
// them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/cpu_info.h"
#include "bench_report.h"
#include "cases.h"

int main(int argc, char** argv) {
  using namespace hb;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("cpu", detect_cpu_info().summary());
  benchmark::AddCustomContext("ring_bytes", fmt::format("{}", bench::beyond_caches_bytes()));
  bench::register_ceilings();
  bench::register_tiles();
  bench::register_attention();
  bench::register_vectors();
  benchmark::RunSpecifiedBenchmarks();
  return bench::any_wrong() ? 1 : 0;
}
