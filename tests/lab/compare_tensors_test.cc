#include "lab/compare_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <initializer_list>

#include "npy_bytes.h"
#include "temp_files.h"

namespace hb {
namespace {

using testing::HasSubstr;

constexpr RawTensorFormat kRawF16 = {.type = FloatType::kF16, .shape = std::nullopt};
constexpr RawTensorFormat kRawF32 = {.type = FloatType::kF32, .shape = std::nullopt};

std::string bytes_of(uint32_t bits, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(bits >> (8 * i));
  return bytes;
}

std::string f32(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes += bytes_of(std::bit_cast<uint32_t>(value), 4);
  return bytes;
}

std::string f16(std::initializer_list<uint16_t> values) {
  std::string bytes;
  for (const uint16_t value : values) bytes += bytes_of(value, 2);
  return bytes;
}

class CompareTensors : public TempFiles {
 protected:
  Result<TensorReport> compare(std::string_view a, std::string_view b,
                               const RawTensorFormat& raw = kRawF32) const {
    return compare_tensor_files(write("a.raw", a), write("b.raw", b), raw);
  }
};

TEST_F(CompareTensors, TheSame) {
  const auto report = compare(f32({1, -2, 3e-40f}), f32({1, -2, 3e-40f}));
  ASSERT_TRUE(report);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_TRUE(report->bit_identical());
  const auto json = to_json(*report);
  EXPECT_EQ(json["compared"], 3);
  EXPECT_EQ(json["mismatch_ratio"], 0.0);
  EXPECT_TRUE(json["first_mismatch"].is_null());
  EXPECT_TRUE(json["a"]["shape"].is_null());
  EXPECT_THAT(to_text(*report), HasSubstr("bit for bit the same"));
}

TEST_F(CompareTensors, OneBitIsSeen) {
  const float next = std::nextafter(1.0f, 2.0f);
  const auto report = compare(f32({0.5f, 1, 1, 1}), f32({0.5f, 1, next, 1}));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report->mismatches, 1u);
  EXPECT_EQ(report->mismatch_ratio(), 0.25);
  EXPECT_EQ(report->max_abs_error, 0x1p-23);
  EXPECT_EQ(report->mean_abs_error, 0x1p-25);
  EXPECT_EQ(report->first_mismatch->index, 2u);
  EXPECT_EQ(report->first_mismatch->b, next);
  EXPECT_THAT(to_text(*report), HasSubstr("element 2: 1 against 1.00000012"));
}

TEST_F(CompareTensors, HalvesAreReadAsHalves) {
  // 1, the smallest denormal, -2, 65504 against 1.5, twice that denormal, 2, 65504
  const auto report =
      compare(f16({0x3c00, 0x0001, 0xc000, 0x7bff}), f16({0x3e00, 0x0002, 0x4000, 0x7bff}), kRawF16);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->mismatches, 3u);
  EXPECT_EQ(report->max_abs_error, 4.0);
  EXPECT_EQ(report->mean_abs_error, (0.5 + 0x1p-24 + 4) / 4);
  EXPECT_EQ(to_json(*report)["type"], "f16");
}

TEST_F(CompareTensors, SignsOfZeroAreCountedApart) {
  const auto report = compare(f32({0.0f, -0.0f, 1}), f32({-0.0f, -0.0f, 1}));
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report->zero_signs, 1u);
  EXPECT_TRUE(report->exact());
  EXPECT_FALSE(report->bit_identical());
  EXPECT_THAT(to_text(*report), HasSubstr("apart from the signs of zeros"));
}

TEST_F(CompareTensors, NanAndInfinityAreCountedAndNeverAnError) {
  const auto report =
      compare(f32({NAN, INFINITY, NAN, -INFINITY, 1}), f32({NAN, INFINITY, 2, INFINITY, 1.5f}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->a.nans, 2u);
  EXPECT_EQ(report->a.infinities, 2u);
  EXPECT_EQ(report->b.nans, 1u);
  EXPECT_EQ(report->mismatches, 3u);
  EXPECT_EQ(report->nonfinite_mismatches, 2u);
  EXPECT_EQ(report->max_abs_error, 0.5);
  EXPECT_EQ(report->mean_abs_error, 0.5);
  EXPECT_EQ(to_json(*report)["first_mismatch"]["a"], "nan");
  EXPECT_NO_THROW(to_json(*report).dump());
}

TEST_F(CompareTensors, NansOfDifferentBitsDiffer) {
  EXPECT_EQ(exit_code(compare(f16({0x7e00}), f16({0x7e01}), kRawF16)), 1);
}

TEST_F(CompareTensors, ADifferenceOfLengthIsADifference) {
  const auto report = compare(f32({1, 2, 3}), f32({1, 2}));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report->compared, 2u);
  EXPECT_EQ(report->mismatches, 0u);
  EXPECT_FALSE(to_json(*report)["same_shape"]);
  EXPECT_THAT(to_text(*report), HasSubstr("different shapes"));
}

std::string npy(const char* type, const char* shape, const std::string& data) {
  return npy_bytes(
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

TEST_F(CompareTensors, NpyAndRawFilesMeet) {
  const std::string data = f32({1, 2, 3, 4, 5, 6});
  const std::string tall = write("tall.npy", npy("<f4", "(3, 2)", data));
  const std::string wide = write("wide.npy", npy("<f4", "(2, 3)", data));
  const std::string raw = write("raw", data);
  EXPECT_EQ(exit_code(compare_tensor_files(tall, tall, {})), 0);
  EXPECT_EQ(exit_code(compare_tensor_files(tall, raw, kRawF32)), 0);
  EXPECT_EQ(exit_code(compare_tensor_files(tall, wide, {})), 1);
  EXPECT_EQ(exit_code(compare_tensor_files(tall, raw, {.type = FloatType::kF32, .shape = {{2, 3}}})), 1);
  const auto report = compare_tensor_files(tall, wide, {});
  EXPECT_EQ(to_json(*report)["a"]["shape"], (nlohmann::json{3, 2}));
  EXPECT_THAT(to_text(*report), HasSubstr("(3, 2)"));
}

void expect_unusable(const Result<TensorReport>& report, ErrorCode code, const char* why) {
  ASSERT_FALSE(report);
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_EQ(report.error().code, code);
  EXPECT_THAT(report.error().message, HasSubstr(why));
}

TEST_F(CompareTensors, UnusableInput) {
  const std::string good = f32({1, 2});
  expect_unusable(compare("", good), ErrorCode::kBadFile, "a.raw' is empty");
  expect_unusable(compare(good, good, {}), ErrorCode::kInvalidArgument, "a.raw: not named .npy");
  expect_unusable(compare(good, good + "x"), ErrorCode::kBadFile,
                  "b.raw: 9 bytes are no whole number of f32");
  expect_unusable(compare(good, good, {.type = FloatType::kF32, .shape = {{3}}}), ErrorCode::kBadFile,
                  "holds 2 f32 elements; the given shape has 3");
  expect_unusable(compare(good, good, {.type = FloatType::kF32, .shape = {{1ull << 40, 1ull << 40}}}),
                  ErrorCode::kBadFile, "2^62");
  expect_unusable(compare_tensor_files(write("a", good), "/nonexistent/b", kRawF32), ErrorCode::kNotFound,
                  "/nonexistent/b");
  const std::string single = write("single.npy", npy("<f4", "(1,)", f32({1})));
  expect_unusable(compare_tensor_files(single, write("half.npy", npy("<f2", "(1,)", f16({1}))), {}),
                  ErrorCode::kInvalidArgument, "convert one of them");
  expect_unusable(compare_tensor_files(single, write("none.npy", npy("<f4", "(0,)", "")), {}),
                  ErrorCode::kBadFile, "none.npy: holds no element");
  expect_unusable(compare_tensor_files(single, write("bad.npy", "text"), {}), ErrorCode::kBadFile,
                  "bad.npy: byte 0: not an npy file");
}

}  // namespace
}  // namespace hb
