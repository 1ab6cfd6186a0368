#include "base/exact_double.h"

#include <bit>
#include <cstdint>

namespace hb::exact {
namespace {

constexpr double kRoundingMagic = 6755399441055744.0;  // 1.5 * 2^52

// The Taylor series; |x| <= pi/4 makes the first dropped term smaller than 2^-56.
double sin_series(double x) {
  const double z = x * x;
  double term = x, sum = x;
  for (int n = 2; n <= 18; n += 2) {
    term = -(term * z) / (n * (n + 1.0));
    sum = sum + term;
  }
  return sum;
}

double cos_series(double x) {
  const double z = x * x;
  double term = 1.0, sum = 1.0;
  for (int n = 1; n <= 17; n += 2) {
    term = -(term * z) / (n * (n + 1.0));
    sum = sum + term;
  }
  return sum;
}

}  // namespace

SinCos sincos(double radians) {
  // pi/2 in three parts of 33 bits (after fdlibm): n * part is exact for |n| < 2^20 and close enough beyond.
  constexpr double kPart1 = 0x1.921fb544p+0, kPart2 = 0x1.0b4611a6p-34, kPart3 = 0x1.3198a2e037073p-69;
  const double shifted = radians * 0.63661977236758134308 + kRoundingMagic;
  const double n = shifted - kRoundingMagic;
  double r = radians - n * kPart1;
  r = r - n * kPart2;
  r = r - n * kPart3;
  const double s = sin_series(r), c = cos_series(r);
  switch (std::bit_cast<uint64_t>(shifted) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

double exp2(double x) {
  const double shifted = x + kRoundingMagic;
  const double n = shifted - kRoundingMagic;
  const double r = (x - n) * 0.69314718055994530942;
  double term = 1.0, sum = 1.0;
  for (int i = 1; i <= 18; ++i) {
    term = term * r / i;
    sum = sum + term;
  }
  const uint64_t exponent = static_cast<uint64_t>(static_cast<int64_t>(n) + 1023);
  return sum * std::bit_cast<double>(exponent << 52);
}

double log2(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (mantissa > 1.4142135623730951) {
    mantissa = mantissa * 0.5;
    exponent = exponent + 1;
  }
  // log(m) = 2 atanh(t), t = (m - 1) / (m + 1), |t| < 0.172
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  const double z = t * t;
  double power = t, sum = t;
  for (int i = 3; i <= 27; i += 2) {
    power = power * z;
    sum = sum + power / i;
  }
  return static_cast<double>(exponent) + sum * 2.0 * 1.44269504088896340736;
}

double sqrt(double x) {
  if (x == 0) return 0;
  // Newton's iteration from a guess that halves the exponent; six steps pass 52 bits.
  double y = std::bit_cast<double>((std::bit_cast<uint64_t>(x) >> 1) + 0x1ff7a3bea91d9b1bull);
  for (int i = 0; i < 6; ++i) y = 0.5 * (y + x / y);
  return y;
}

}  // namespace hb::exact
