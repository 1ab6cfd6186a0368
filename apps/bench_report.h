// The results of halfbyte bench, each line with what it takes to repeat it.
#pragma once

#include <optional>
#include <string>

#include "apps/bench_runner.h"
#include "apps/bench_stats.h"
#include "apps/evidence.h"
#include "lab/roofline.h"

namespace hb {

struct BenchLine {
  BenchSamples samples;
  SampleStats stats;  // of samples, tokens a second
  Setup setup;
  std::optional<BandwidthPoint> bandwidth;  // of the same thread count, measured in the same run

  bool is_decode() const { return samples.test.kind == BenchTest::Kind::kDecode; }
  double gbps() const;             // weights read, of a decode test; otherwise 0
  double bandwidth_share() const;  // gbps / bandwidth; 0 if not known
};

enum class BenchFormat { kMarkdown, kCsv, kJsonLines };

std::string bench_header(BenchFormat format);  // empty for jsonl
std::string bench_line(const BenchLine& line, BenchFormat format);

}  // namespace hb
