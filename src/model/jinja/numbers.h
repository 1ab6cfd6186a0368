// Python's text forms of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hb::jinja {

// int(text, base): white space, sign, underscores; base 0 reads prefixes. Nothing if malformed or beyond 64
// bits.
std::optional<int64_t> parse_integer(std::string_view text, int base);
// float(text): white space, underscores, inf and nan.
std::optional<double> parse_float(std::string_view text);
// repr(d): the shortest digits that read back as d.
std::string float_repr(double d);
// round(d, digits): correctly rounded, half to even.
double round_decimal(double d, int64_t digits);

}  // namespace hb::jinja
