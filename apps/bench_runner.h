// Times prefill and decode at several depths, in rounds, so that a slow minute of the machine hits every test
// alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/session.h"

namespace hb {

struct BenchTest {
  enum class Kind { kPrefill, kDecode };
  Kind kind = Kind::kPrefill;
  uint32_t tokens = 0;
  uint32_t depth = 0;  // tokens that are in the cache before

  std::string name() const;  // "pp512", "tg128", "tg64@1024"
};

struct BenchSamples {
  BenchTest test;
  std::vector<double> tokens_per_second;
};

// Prefill and decode of each size at each depth, sizes of 0 left out.
std::vector<BenchTest> bench_tests(const std::vector<uint32_t>& prefill, const std::vector<uint32_t>& decode,
                                   const std::vector<uint32_t>& depths);

// The positions that the largest test needs.
uint32_t bench_context(const std::vector<BenchTest>& tests);

// Each test once to warm up, with few tokens, then `repetitions` rounds of all. `on_round` is told how many
// are done; false: stop with kCancelled. ERRORS: those of Session.
Result<std::vector<BenchSamples>> run_bench(Session& session, const std::vector<BenchTest>& tests,
                                            uint32_t repetitions,
                                            const std::function<bool(uint32_t)>& on_round);

}  // namespace hb
