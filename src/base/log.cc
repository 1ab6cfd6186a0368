#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>

namespace hb {
namespace {

struct Level {
  std::string_view name;
  spdlog::level::level_enum spdlog;
};

// In the order of LogLevel.
constexpr std::array<Level, 5> kLevels = {{{"debug", spdlog::level::debug},
                                           {"info", spdlog::level::info},
                                           {"warning", spdlog::level::warn},
                                           {"error", spdlog::level::err},
                                           {"off", spdlog::level::off}}};

spdlog::level::level_enum spdlog_level(LogLevel level) { return kLevels[static_cast<size_t>(level)].spdlog; }

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("halfbyte", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("halfbyte: %^%l%$: %v");
    made.set_level(spdlog::level::warn);
    return made;
  }();
  return instance;
}

}  // namespace

LogLevel log_level_of(std::string_view name) {
  for (size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i].name == name) return static_cast<LogLevel>(i);
  }
  return LogLevel::kWarning;
}

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool log_enabled(LogLevel level) {
  return level != LogLevel::kOff && logger().should_log(spdlog_level(level));
}

void write_log(LogLevel level, const std::string& message) { logger().log(spdlog_level(level), message); }

}  // namespace hb
