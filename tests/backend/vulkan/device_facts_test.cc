#include "backend/vulkan/device_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hb::vulkan {
namespace {

DeviceFacts usable_device(std::string name, DeviceKind kind) {
  DeviceFacts facts;
  facts.name = std::move(name);
  facts.kind = kind;
  facts.api_major = 1;
  facts.api_minor = 1;
  facts.max_storage_buffers = 16;
  facts.max_invocations = 128;
  facts.max_shared_bytes = 16384;
  facts.max_push_bytes = 128;
  return facts;
}

class ChooseDevice : public ::testing::Test {
 protected:
  std::vector<DeviceFacts> devices_ = {usable_device("llvmpipe", DeviceKind::kCpu),
                                       usable_device("Adreno (TM) 740", DeviceKind::kIntegrated),
                                       usable_device("Adreno (TM) 830", DeviceKind::kIntegrated)};
};

TEST_F(ChooseDevice, TakesTheFastestKindThenTheFirst) {
  EXPECT_EQ(*choose_device(devices_, ""), 1u);
  devices_[1].max_storage_buffers = 4;
  EXPECT_EQ(*choose_device(devices_, ""), 2u);
}

TEST_F(ChooseDevice, TakesANumberOrAPartOfAName) {
  EXPECT_EQ(*choose_device(devices_, "0"), 0u);
  EXPECT_EQ(*choose_device(devices_, "adreno"), 1u);
  EXPECT_EQ(*choose_device(devices_, "830"), 2u);
}

TEST_F(ChooseDevice, SaysWhatThereIs) {
  const auto none = choose_device(devices_, "mali");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, ::testing::HasSubstr("2 'Adreno (TM) 830'"));
  EXPECT_EQ(choose_device({}, "").error().code, ErrorCode::kNotFound);
}

TEST_F(ChooseDevice, RefusesWhatCannotBeUsed) {
  devices_[2].api_minor = 0;
  const auto old = choose_device(devices_, "830");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(old.error().message, ::testing::HasSubstr("Vulkan version"));
  devices_[1].max_shared_bytes = 8192;
  EXPECT_THAT(check_usable(devices_[1]).error().message, ::testing::HasSubstr("shared memory is 8192"));
}

}  // namespace
}  // namespace hb::vulkan
