#include "model/jinja/clock.h"

#include <locale.h>

namespace hb::jinja {

Result<std::string> format_time(const std::string& format, const std::tm& time) {
  if (format.empty()) return std::string();
  if (format.size() > 256 || format.find('\0') != std::string::npos) {
    return fail(ErrorCode::kUnsupported, "a time format is longer than 256 bytes or contains a zero byte");
  }
  // The program's own locale must not change what a model reads.
  static const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", locale_t{});
  char text[4096];
  const size_t size = ::strftime_l(text, sizeof text, (format + " ").c_str(), &time, c_locale);
  if (size == 0) return fail(ErrorCode::kUnsupported, "a time is longer than the limit of 4096 bytes");
  return std::string(text, size - 1);  // without the blank that tells an empty text from a failure
}

}  // namespace hb::jinja
