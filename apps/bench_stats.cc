#include "apps/bench_stats.h"

#include <algorithm>
#include <cmath>

namespace hb {
namespace {

double median_of(std::vector<double>& values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

SampleStats sample_stats(std::vector<double> values) {
  if (values.empty()) return {};
  SampleStats stats;
  stats.median = median_of(values);
  stats.min = values.front();
  stats.max = values.back();
  for (double& value : values) value = std::abs(value - stats.median);
  stats.mad = median_of(values);
  return stats;
}

}  // namespace hb
