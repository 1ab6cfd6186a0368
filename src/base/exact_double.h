// sin, cos, exp2 and log2 in double for tables that the host computes once (RoPE): built from + - * / and bit
// operations in a fixed order, so that every host computes the same tables. Accurate to a few units of 2^-52.
#pragma once

namespace hb::exact {

struct SinCos {
  double sin;
  double cos;
};

// REQUIRES: |radians| < 2^30.
SinCos sincos(double radians);

// REQUIRES: |x| < 1000.
double exp2(double x);

// REQUIRES: x positive and normal.
double log2(double x);

// base^exponent. REQUIRES: base positive and normal.
inline double pow(double base, double exponent) { return exp2(exponent * log2(base)); }

// The square root, to the last bit or next to it. REQUIRES: x >= 0, normal or zero.
double sqrt(double x);

}  // namespace hb::exact
