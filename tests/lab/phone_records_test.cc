// What is recorded of phone GPUs, and what follows for them: the kernel that is chosen.
#include "lab/phone_records.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/vulkan/kernels.h"

namespace hb {
namespace {

constexpr TensorType kTypes[] = {TensorType::kQ4_0, TensorType::kQ4_1, TensorType::kQ4_K,
                                 TensorType::kQ8_0, TensorType::kQ5_0, TensorType::kQ6_K};
constexpr double kNoDifference = 1.1;  // slots are not time: a tenth means nothing

std::string chosen(const std::string& phone, TensorType type, uint32_t rows) {
  const auto record = find_phone_record(phone);
  if (!record) return record.error().message;
  const auto selection = choose_kernel(record->facts, {vulkan::KernelOp::kMatvec, type, rows}, {});
  return selection ? selection->kernel->name : selection.error().message;
}

// On every phone the decode matvec that is chosen is the one with the fewest issue slots a weight.
TEST(PhoneRecords, TheChosenKernelHasTheFewestSlots) {
  ASSERT_FALSE(phone_records().empty());
  for (const PhoneRecord& record : phone_records()) {
    if (!check_usable(record.facts)) continue;
    for (const TensorType type : kTypes) {
      const auto selection = choose_kernel(record.facts, {vulkan::KernelOp::kMatvec, type, 1}, {});
      ASSERT_TRUE(selection) << selection.error().message;
      const std::string name = selection->kernel->name;
      SCOPED_TRACE(fmt::format("{}: {} ({})", record.phone, name, selection->reason));
      ASSERT_TRUE(record.kernels.contains(name));
      const auto& figures = record.kernels[name];
      EXPECT_FALSE(figures.contains("refused") || figures.contains("failed"));
      // A kernel that is not counted is the choice only where nothing accelerates products.
      const std::optional<double> fewest = fewest_slots(record, type);
      const bool accelerated =
          (vulkan::worth_of(record.facts) & (vulkan::kDotMixed | vulkan::kDotSigned)) != 0;
      if (!fewest || (!figures.contains("slots") && !accelerated)) continue;
      ASSERT_TRUE(figures.contains("slots"));
      EXPECT_LE(figures["slots"].get<double>(), *fewest * kNoDifference);
    }
  }
}

TEST(PhoneRecords, ChoicesOfSomePhones) {
  EXPECT_EQ(chosen("adreno-630", TensorType::kQ4_0, 1), "matvec_q4_0_x1_float");
  EXPECT_EQ(chosen("adreno-650", TensorType::kQ4_0, 1), "matvec_q4_0_x1_mixed_texel");
  EXPECT_EQ(chosen("adreno-740", TensorType::kQ4_0, 1), "matvec_q4_0_x1_mixed_shuffle");
  EXPECT_EQ(chosen("adreno-740", TensorType::kQ4_0, 8), "matvec_q4_0_x4_mixed_shuffle");
  EXPECT_EQ(chosen("adreno-830", TensorType::kQ4_K, 1), "matvec_q4_k_x1_mixed_shuffle");
  EXPECT_EQ(chosen("mali-g610", TensorType::kQ4_0, 1), "matvec_q4_0_x1_signed_shuffle");
}

TEST(PhoneRecords, APhoneThatCannotBeUsedSaysWhy) {
  const auto record = find_phone_record("pi-5");
  ASSERT_TRUE(record) << record.error().message;
  const Status usable = check_usable(record->facts);
  ASSERT_FALSE(usable);
  EXPECT_THAT(usable.error().message, ::testing::HasSubstr("storage buffers of a kernel is 8"));
}

TEST(PhoneRecords, AnUnknownPhoneIsAnError) {
  const auto record = find_phone_record("nokia-3310");
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(record.error().message, ::testing::HasSubstr("adreno-740"));
}

}  // namespace
}  // namespace hb
