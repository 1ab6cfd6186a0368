// What every benchmark adds to its time: rates, shares of this machine's ceilings, and whether it computed
// what it should.
//
// Rates are of the CPU time, which other programs on the machine disturb least.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>

namespace hb::bench {

// What one thread can do at most, by CPU time: medians of the loops of lab/roofline_kernels.h. Measured at
// the first call.
struct Ceilings {
  double read_gbps;  // 10^9 bytes a second, from memory
  double dot_gops;   // 10^9 operations a second: int8 products and their sums
};
const Ceilings& ceilings();

// Bytes that a buffer must have to come from memory each time it is read through.
uint64_t beyond_caches_bytes();

double thread_cpu_seconds();

// One iteration's work. Bytes and operations of 0 are left out.
struct Work {
  double bytes;
  double operations;
  bool integer_dot;  // the operations have a ceiling
};

void add_rates(benchmark::State& state, const Work& work, double cpu_seconds);

// Runs `body` as the benchmark's iterations, and adds the rates.
template <class Body>
void time_loop(benchmark::State& state, const Work& work, Body body) {
  const double begin = thread_cpu_seconds();
  for (auto _ : state) body();
  add_rates(state, work, thread_cpu_seconds() - begin);
}

// Equal, and no NaN; +0 and -0 are equal.
bool same_values(std::span<const float> a, std::span<const float> b);

// Marks the benchmark as failed if its kernel is not `right`. Returns `right`.
bool require_right(benchmark::State& state, bool right);
bool any_wrong();  // so far in this process

}  // namespace hb::bench
