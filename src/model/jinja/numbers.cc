#include "model/jinja/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

bool is_digit_char(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

// Removes underscores that stand between two digits; nothing if there are others.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_') {
      out.push_back(text[at]);
      continue;
    }
    const bool between =
        at > 0 && at + 1 < text.size() && is_digit_char(text[at - 1]) && is_digit_char(text[at + 1]);
    if (!between) return std::nullopt;
  }
  return out;
}

// Takes a prefix such as 0x off `digits` and answers the base that it means.
int take_prefix(std::string_view& digits, int base) {
  if (digits.size() < 2 || digits[0] != '0') return base == 0 ? 10 : base;
  const char letter = static_cast<char>(digits[1] | 0x20);
  const int meant = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (meant == 0 || (base != 0 && base != meant)) return base == 0 ? 10 : base;
  digits.remove_prefix(2);
  if (digits.starts_with('_')) digits.remove_prefix(1);
  return meant;
}

// Lays `digits` (d.ddd times 10^exponent) out as Python does: plain between 1e-4 and 1e16.
std::string layout(std::string digits, int exponent) {
  if (exponent < -4 || exponent >= 16) {
    if (digits.size() > 1) digits.insert(1, ".");
    return fmt::format("{}e{}{:02}", digits, exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return digits + std::string(whole - digits.size(), '0') + ".0";
  return digits.insert(whole, ".");
}

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text, int base) {
  if (base != 0 && (base < 2 || base > 36)) return std::nullopt;
  text = strip_left(strip_right(text));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view unprefixed = text;
  base = take_prefix(text, base);
  const auto digits = without_underscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  if (base == 10 && unprefixed.data() == text.data() && (*digits)[0] == '-') return std::nullopt;
  uint64_t magnitude = 0;
  const auto [end, problem] =
      std::from_chars(digits->data(), digits->data() + digits->size(), magnitude, base);
  if (problem != std::errc() || end != digits->data() + digits->size()) return std::nullopt;
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

std::optional<double> parse_float(std::string_view text) {
  text = strip_left(strip_right(text));
  auto plain = without_underscores(text);
  if (!plain) return std::nullopt;
  if (plain->starts_with('+') && !plain->starts_with("+-")) plain->erase(0, 1);
  std::string lower = *plain;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  const std::string_view unsigned_text = std::string_view(lower).substr(lower.starts_with('-') ? 1 : 0);
  if (unsigned_text.starts_with("nan") && unsigned_text != "nan")
    return std::nullopt;  // from_chars reads nan(…)
  double value = 0;
  const auto [end, problem] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (end != lower.data() + lower.size() || lower.empty()) return std::nullopt;
  if (problem == std::errc::result_out_of_range) return std::strtod(lower.c_str(), nullptr);
  if (problem != std::errc()) return std::nullopt;
  return value;
}

std::string float_repr(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  const std::string sign = std::signbit(d) ? "-" : "";
  if (d == 0) return sign + "0.0";
  char buffer[40];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, std::fabs(d), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(written.ptr - buffer));
  const size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  int exponent = 0;
  const size_t exponent_at = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + exponent_at, text.data() + text.size(), exponent);
  return sign + layout(std::move(digits), exponent);
}

double round_decimal(double d, int64_t digits) {
  if (!std::isfinite(d) || digits > 323) return d;
  if (digits < -308) return std::copysign(0.0, d);
  if (digits >= 0) return std::strtod(fmt::format("{:.{}f}", d, digits).c_str(), nullptr);
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return std::nearbyint(d / unit) * unit;
}

}  // namespace hb::jinja
