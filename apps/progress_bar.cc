#include "apps/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace hb {
namespace {

constexpr size_t kBarColumns = 24;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(1);

size_t terminal_columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

double fraction_done(const Progress& progress) {
  if (progress.total_bytes == 0) return 0;
  return std::min(1.0, static_cast<double>(progress.done_bytes) / static_cast<double>(progress.total_bytes));
}

std::string bar(const Progress& progress) {
  const auto full = static_cast<size_t>(fraction_done(progress) * kBarColumns);
  return fmt::format("[{}{}] {:3.0f} %", std::string(full, '#'), std::string(kBarColumns - full, '-'),
                     100 * fraction_done(progress));
}

std::string amount(const Progress& progress) {
  const std::string done = human_bytes(static_cast<double>(progress.done_bytes));
  if (progress.total_bytes == 0) return done;
  return fmt::format("{} of {}", done, human_bytes(static_cast<double>(progress.total_bytes)));
}

std::string time_left(const Progress& progress, double bytes_per_second) {
  if (progress.total_bytes <= progress.done_bytes || bytes_per_second <= 0) return "";
  const double seconds = static_cast<double>(progress.total_bytes - progress.done_bytes) / bytes_per_second;
  return seconds < 120 ? fmt::format("{:.0f} s left", seconds) : fmt::format("{:.0f} min left", seconds / 60);
}

}  // namespace

std::string human_bytes(double bytes) {
  static constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::string progress_line(const Progress& progress, double bytes_per_second, size_t width) {
  std::string line(progress.what.substr(0, width));
  const std::array parts = {progress.total_bytes > 0 ? bar(progress) : "", amount(progress),
                            bytes_per_second > 0 ? human_bytes(bytes_per_second) + "/s" : "",
                            time_left(progress, bytes_per_second)};
  for (const std::string& part : parts) {
    if (!part.empty() && line.size() + 2 + part.size() <= width) line += "  " + part;
  }
  return line;
}

ProgressBar::ProgressBar(std::FILE* out) : out_(out), terminal_(::isatty(::fileno(out)) == 1) {}

ProgressBar::~ProgressBar() { end_line(); }

void ProgressBar::end_line() {
  if (line_open_) fmt::print(out_, "\n");
  line_open_ = false;
}

void ProgressBar::begin_step(const Progress& progress, Clock::time_point now) {
  end_line();
  step_ = progress.what;
  first_bytes_ = progress.done_bytes;
  tenths_printed_ = 0;
  step_began_ = now;
  last_draw_ = terminal_ ? Clock::time_point{} : now;
  if (!terminal_) fmt::print(out_, "{}\n", step_);
}

double ProgressBar::speed(const Progress& progress, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - step_began_).count();
  if (seconds < 0.2 || progress.done_bytes < first_bytes_) return 0;
  return static_cast<double>(progress.done_bytes - first_bytes_) / seconds;
}

void ProgressBar::draw(const Progress& progress, Clock::time_point now) {
  const bool done = progress.total_bytes > 0 && progress.done_bytes == progress.total_bytes;
  if (!done && now - last_draw_ < kRedrawInterval) return;
  last_draw_ = now;
  line_open_ = true;
  const size_t width = terminal_columns(::fileno(out_)) - 1;
  fmt::print(out_, "\r{}\x1b[K", progress_line(progress, speed(progress, now), width));
  std::fflush(out_);
}

void ProgressBar::print_tenth(const Progress& progress, Clock::time_point now) {
  const auto tenths = static_cast<uint64_t>(fraction_done(progress) * 10);
  if (tenths <= tenths_printed_ || (tenths < 10 && now - last_draw_ < kLineInterval)) return;
  tenths_printed_ = tenths;
  last_draw_ = now;
  fmt::print(out_, "  {:3} %  {}", tenths * 10, amount(progress));
  if (const double rate = speed(progress, now); rate > 0) fmt::print(out_, "  {}/s", human_bytes(rate));
  fmt::print(out_, "\n");
  std::fflush(out_);
}

bool ProgressBar::update(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.what != step_) begin_step(progress, now);
  terminal_ ? draw(progress, now) : print_tenth(progress, now);
  return true;
}

}  // namespace hb
