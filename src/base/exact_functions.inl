// The bodies of the elementary functions, in the common subset of C++, GLSL and OpenCL C: the only definition.
//
// Who includes this file defines
//   HB_FN               what stands before a function (a template in C++)
//   HB_F                the number type
//   HB_LET, HB_LET_BITS what declares a local number, and the local bits of one; GLSL: `precise float`
//   HB_NAME(x)          the function x; GLSL and OpenCL C have their own exp and tanh
//   HB_BITS(x), HB_FROM_BITS(b), HB_SPLAT(c), HB_SELECT(condition, yes, no)
// One rounded operation a statement, and nothing but names after `return`: GLSL's `precise` holds for
// variables.

// What an op stores of x: a magnitude below 2^-44 becomes +0.
HB_FN HB_F HB_NAME(settle)(HB_F x) {
  HB_LET_BITS magnitude = HB_BITS(x) & 0x7fffffffu;
  return HB_SELECT(magnitude < 0x29800000u, HB_SPLAT(0.0f), x);
}

HB_FN HB_F HB_NAME(rcp)(HB_F x) {
  HB_LET guess = HB_FROM_BITS(0x7ef33000u - HB_BITS(x));
  HB_LET product = x * guess;
  HB_LET correction = 2.0012f - product;
  HB_LET y = guess * correction;
  HB_LET again = x * y;
  HB_LET error = 1.0f - again;
  HB_LET error_squared = error * error;
  HB_LET k = error + error_squared;
  HB_LET step = y * k;
  HB_LET result = y + step;
  return result;
}

HB_FN HB_F HB_NAME(rsqrt)(HB_F x) {
  HB_LET guess = HB_FROM_BITS(0x5f1ffff9u - (HB_BITS(x) >> 1));
  HB_LET a0 = x * guess;
  HB_LET a1 = a0 * guess;
  HB_LET a2 = 2.38924456f - a1;
  HB_LET a3 = 0.703952253f * a2;
  HB_LET y = guess * a3;
  HB_LET b0 = x * y;
  HB_LET b1 = b0 * y;
  HB_LET error = 1.0f - b1;
  HB_LET p0 = 0.375f * error;
  HB_LET p1 = p0 + 0.5f;
  HB_LET p2 = p1 * error;
  HB_LET step = p2 * y;
  HB_LET result = y + step;
  return result;
}

// (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2
HB_FN HB_F HB_NAME(exp_polynomial)(HB_F r) {
  HB_LET p0 = 1.9875691500e-4f * r;
  HB_LET p1 = p0 + 1.3981999507e-3f;
  HB_LET p2 = p1 * r;
  HB_LET p3 = p2 + 8.3334519073e-3f;
  HB_LET p4 = p3 * r;
  HB_LET p5 = p4 + 4.1665795894e-2f;
  HB_LET p6 = p5 * r;
  HB_LET p7 = p6 + 1.6666665459e-1f;
  HB_LET p8 = p7 * r;
  HB_LET p9 = p8 + 5.0000001201e-1f;
  return p9;
}

HB_FN HB_F HB_NAME(exp)(HB_F x) {
  HB_LET at_least = HB_SELECT(x < -87.0f, HB_SPLAT(-87.0f), x);
  HB_LET clamped = HB_SELECT(at_least > 88.0f, HB_SPLAT(88.0f), at_least);
  HB_LET m = clamped * 1.44269504f;
  HB_LET t = m + 12582912.0f;  // 1.5 * 2^23: leaves m, rounded to the nearest even integer, in the low bits
  HB_LET n = t - 12582912.0f;
  HB_LET high = n * 0.693359375f;  // ln(2) in two parts
  HB_LET r0 = clamped - high;
  HB_LET low = n * -2.12194440e-4f;
  HB_LET r = r0 - low;
  HB_LET r_squared = r * r;
  HB_LET polynomial = HB_NAME(exp_polynomial)(r);
  HB_LET z0 = polynomial * r_squared;
  HB_LET z1 = z0 + r;
  HB_LET z = z1 + 1.0f;
  HB_LET power = HB_FROM_BITS((HB_BITS(t) + 127u) << 23);  // the low bits of t are n; the magic's are 0
  HB_LET result = z * power;
  return result;
}

HB_FN HB_F HB_NAME(sigmoid)(HB_F x) {
  HB_LET negated = 0.0f - x;
  HB_LET argument = HB_SELECT(negated > 69.0f, HB_SPLAT(69.0f), negated);  // e^69 < 2^100, the domain of rcp
  HB_LET power = HB_NAME(exp)(argument);
  HB_LET denominator = 1.0f + power;
  HB_LET result = HB_NAME(rcp)(denominator);
  return result;
}

HB_FN HB_F HB_NAME(silu)(HB_F x) {
  HB_LET factor = HB_NAME(sigmoid)(x);
  HB_LET result = x * factor;
  return result;
}

HB_FN HB_F HB_NAME(gelu)(HB_F x) {
  HB_LET square = x * x;
  HB_LET a = square * 0.071354816f;
  HB_LET b = a + 1.5957691f;
  HB_LET argument = x * b;
  HB_LET factor = HB_NAME(sigmoid)(argument);
  HB_LET result = x * factor;
  return result;
}

// |a| < 0.625
HB_FN HB_F HB_NAME(tanh_small)(HB_F a) {
  HB_LET z = a * a;
  HB_LET p0 = -5.70498872745e-3f * z;
  HB_LET p1 = p0 + 2.06390887954e-2f;
  HB_LET p2 = p1 * z;
  HB_LET p3 = p2 - 5.37397155531e-2f;
  HB_LET p4 = p3 * z;
  HB_LET p5 = p4 + 1.33314422036e-1f;
  HB_LET p6 = p5 * z;
  HB_LET p7 = p6 - 3.33332819422e-1f;
  HB_LET p8 = p7 * z;
  HB_LET p9 = p8 * a;
  HB_LET result = p9 + a;
  return result;
}

HB_FN HB_F HB_NAME(tanh_large)(HB_F a) {
  HB_LET doubled = a + a;
  HB_LET power = HB_NAME(exp)(doubled);
  HB_LET denominator = power + 1.0f;
  HB_LET q = HB_NAME(rcp)(denominator);
  HB_LET q2 = q + q;
  HB_LET result = 1.0f - q2;
  return result;
}

HB_FN HB_F HB_NAME(tanh)(HB_F x) {
  HB_LET_BITS sign = HB_BITS(x) & 0x80000000u;
  HB_LET magnitude = HB_FROM_BITS(HB_BITS(x) & 0x7fffffffu);
  HB_LET a = HB_SELECT(magnitude > 9.1f, HB_SPLAT(9.1f), magnitude);
  HB_LET small_result = HB_NAME(tanh_small)(a);
  HB_LET large_result = HB_NAME(tanh_large)(a);
  HB_LET result = HB_SELECT(a < 0.625f, small_result, large_result);
  return HB_FROM_BITS(HB_BITS(result) | sign);
}
