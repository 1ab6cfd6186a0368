// Progress for a person: a bar that redraws itself on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "fetch/progress.h"

namespace hb {

// "92.9 MB": three to four digits, powers of 1000.
std::string human_bytes(double bytes);

// One line without its end, at most `width` columns: "what  [####----]  41 %  38.1 of 92.9 MB  12.0 MB/s  5 s
// left". Parts that are unknown or do not fit are left out.
std::string progress_line(const Progress& progress, double bytes_per_second, size_t width);

// BORROWS the stream. The destructor ends a line that is on the terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* out);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // A ProgressFn: never asks to stop.
  bool update(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  void begin_step(const Progress& progress, Clock::time_point now);
  void end_line();
  double speed(const Progress& progress, Clock::time_point now) const;
  void draw(const Progress& progress, Clock::time_point now);
  void print_tenth(const Progress& progress, Clock::time_point now);

  std::FILE* out_;
  bool terminal_;
  bool line_open_ = false;
  std::string step_;
  uint64_t first_bytes_ = 0;  // already there when the step began
  uint64_t tenths_printed_ = 0;
  Clock::time_point step_began_;
  Clock::time_point last_draw_;
};

}  // namespace hb
