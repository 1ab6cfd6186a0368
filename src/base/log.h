// Messages to the person at the terminal: one line each on standard error, coloured only if that is a
// terminal.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace hb {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// The level of one of "debug", "info", "warning", "error", "off" (the values of the setting log_level);
// kWarning for anything else.
LogLevel log_level_of(std::string_view name);

// Messages below `level` are dropped from now on. Before the first call the level is kWarning. THREADS: any.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);

// Writes one line, whatever the level is set to. Prefer the functions below. THREADS: any.
void write_log(LogLevel level, const std::string& message);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) write_log(level, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::kDebug, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::kWarning, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::kError, format, std::forward<Args>(args)...);
}

}  // namespace hb
