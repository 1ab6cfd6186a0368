// Repeated measurements of one test, in numbers that a single slow moment does not move.
#pragma once

#include <vector>

namespace hb {

struct SampleStats {
  double median = 0, min = 0, max = 0;
  double mad = 0;  // median of the absolute deviations from the median
};

// All zero if there are none.
SampleStats sample_stats(std::vector<double> values);

}  // namespace hb
