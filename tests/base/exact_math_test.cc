#include "base/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/exact_double.h"
#include "base/half.h"

namespace hb {
namespace {

double ulp_of(double value) {
  const float f = std::fabs(static_cast<float>(value));
  return std::nextafter(f, INFINITY) - static_cast<double>(f);
}

// The largest error in ulp over floats from `low` to `high`, both signs if asked, about `count` of them.
double worst_ulp(const std::function<float(float)>& ours, const std::function<double(double)>& truth,
                 float low, float high, uint32_t count = 1 << 20) {
  const uint32_t first = std::bit_cast<uint32_t>(low), last = std::bit_cast<uint32_t>(high);
  const uint32_t step = std::max<uint32_t>(1, (last - first) / count);
  double worst = 0;
  for (uint32_t bits = first; bits < last; bits += step) {
    const float x = std::bit_cast<float>(bits);
    const double expected = truth(x);
    worst = std::max(worst, std::fabs(ours(x) - expected) / ulp_of(expected));
  }
  return worst;
}

TEST(ExactMath, ReciprocalIsAccurateOverItsDomain) {
  const double worst =
      worst_ulp(exact::rcp<float>, [](double x) { return 1 / x; }, 0x1p-100f, 0x1p100f, 1 << 22);
  EXPECT_LT(worst, 1.46);
  EXPECT_GT(worst, 1.0);
}

TEST(ExactMath, ReciprocalSquareRootIsAccurateOverItsDomain) {
  const auto truth = [](double x) { return 1 / std::sqrt(x); };
  EXPECT_LT(worst_ulp(exact::rsqrt<float>, truth, 0x1p-120f, 0x1p120f, 1 << 22), 1.49);
}

TEST(ExactMath, ExponentialIsAccurateAndClamped) {
  const auto truth = [](double x) { return std::exp(x); };
  const auto negated = [](float x) { return exact::exp(-x); };
  const auto negated_truth = [](double x) { return std::exp(-x); };
  EXPECT_LT(worst_ulp(exact::exp<float>, truth, 1e-6f, 88.0f), 0.97);
  EXPECT_LT(worst_ulp(negated, negated_truth, 1e-6f, 87.0f), 0.97);
  EXPECT_EQ(exact::exp(0.0f), 1.0f);
  EXPECT_EQ(exact::exp(1000.0f), exact::exp(88.0f));
  EXPECT_EQ(exact::exp(-1000.0f), exact::exp(-87.0f));
}

TEST(ExactMath, SiluTanhGelu) {
  const auto silu_truth = [](double x) { return x / (1 + std::exp(-x)); };
  EXPECT_LT(worst_ulp(exact::silu<float>, silu_truth, 1e-6f, 80.0f), 3.2);
  EXPECT_LT(worst_ulp(exact::tanh<float>, [](double x) { return std::tanh(x); }, 1e-6f, 20.0f), 1.8);
  EXPECT_EQ(exact::tanh(-0.3f), -exact::tanh(0.3f));
  EXPECT_EQ(exact::tanh(50.0f), exact::tanh(9.1f));
  const auto gelu_truth = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  EXPECT_LT(worst_ulp(exact::gelu<float>, gelu_truth, 1e-3f, 20.0f), 3.6);
  for (float x = -20; x < 0; x += 0.001f) EXPECT_LT(std::fabs(exact::gelu(x) - gelu_truth(x)), 6e-8);
}

// Golden bits: any change of a formula, an option or a compiler that changes a rounding shows here.
TEST(ExactMath, GoldenBits) {
  EXPECT_EQ(exact::bits_of(exact::rcp(127.0f)), exact::bits_of(0x1.020408p-7f));
  uint64_t hash = 1469598103934665603ull;
  for (uint32_t i = 0; i < 100000; ++i) {
    const float x = static_cast<float>(static_cast<int32_t>(i) - 50000) * 0.00137f;
    for (const float y :
         {exact::exp(x), exact::silu(x), exact::tanh(x), exact::gelu(x), exact::rsqrt(x * x + 0.5f)}) {
      hash = (hash ^ exact::bits_of(y)) * 1099511628211ull;
    }
  }
  EXPECT_EQ(hash, 13634979045024536786ull);
}

TEST(ExactDouble, AgreesWithLibm) {
  for (int i = 0; i < 200000; ++i) {
    const double x = i * 0.731;
    EXPECT_NEAR(exact::sincos(x).sin, std::sin(x), 4e-16 + x * 1e-19) << x;
    EXPECT_NEAR(exact::sincos(x).cos, std::cos(x), 4e-16 + x * 1e-19) << x;
  }
  for (double x = -500; x < 500; x += 0.37) EXPECT_NEAR(exact::exp2(x) / std::exp2(x), 1, 1e-15) << x;
  for (double x = 1e-9; x < 1e9; x *= 1.01) {
    EXPECT_NEAR(exact::log2(x), std::log2(x), 1e-14) << x;
    EXPECT_NEAR(exact::sqrt(x) / std::sqrt(x), 1, 3e-16) << x;
  }
  EXPECT_NEAR(exact::pow(1e6, -0.734375), std::pow(1e6, -0.734375), 1e-18);
}

TEST(Half, RoundTripsEveryPattern) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const bool is_nan = (h & 0x7fffu) > 0x7c00u;
    const uint16_t back = f32_to_f16(f16_to_f32(static_cast<uint16_t>(h)));
    EXPECT_EQ(back, is_nan ? (h | 0x200u) : h);
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);    // a tie goes to even
  EXPECT_EQ(f32_to_f16(1.0f + 0x1.8p-10f), 0x3c02);  // a tie goes to even, upwards
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);  // half of the smallest denormal: even is zero
  EXPECT_EQ(f32_to_f16(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(f32_to_f16(-0x1p-24f), 0x8001);
  EXPECT_EQ(bf16_to_f32(0x3f80), 1.0f);
}

}  // namespace
}  // namespace hb
