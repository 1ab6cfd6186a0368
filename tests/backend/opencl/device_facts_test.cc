#include "backend/opencl/device_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hb::opencl {
namespace {

DeviceFacts facts(const char* name, DeviceKind kind) {
  DeviceFacts facts;
  facts.name = name;
  facts.kind = kind;
  facts.platform = "Portable";
  facts.version = "OpenCL 1.2 something";
  facts.max_allocation = 256u << 20;
  facts.max_work_group = 256;
  return facts;
}

TEST(OpenclDeviceFacts, GpusWinAndUnusableOnesDoNot) {
  std::vector<DeviceFacts> devices = {facts("cpu", DeviceKind::kCpu), facts("old gpu", DeviceKind::kGpu),
                                      facts("gpu", DeviceKind::kGpu)};
  devices[1].version = "OpenCL 1.1 x";
  EXPECT_EQ(*choose_device(devices, ""), 2u);
  EXPECT_EQ(*choose_device(devices, "0"), 0u);
  EXPECT_EQ(*choose_device(devices, "CPU"), 0u);
  EXPECT_EQ(*choose_device(devices, "portable"), 0u);
  EXPECT_EQ(choose_device(devices, "old").error().code, ErrorCode::kUnsupported);
  const auto none = choose_device(devices, "adreno");
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, ::testing::HasSubstr("2 'gpu'"));
}

TEST(OpenclDeviceFacts, VersionsThatAreNoneAreRefused) {
  for (const char* version :
       {"", "OpenCL", "OpenCL ", "OpenCL x", "OpenCL 3", "OpenCL 99999999999.1", "1.2"}) {
    DeviceFacts device = facts("gpu", DeviceKind::kGpu);
    device.version = version;
    EXPECT_FALSE(check_usable(device)) << version;
  }
  DeviceFacts device = facts("gpu", DeviceKind::kGpu);
  device.version = "OpenCL 3.0";
  EXPECT_TRUE(check_usable(device));
}

TEST(OpenclDeviceFacts, WhatIsMissingIsNamed) {
  DeviceFacts device = facts("gpu", DeviceKind::kGpu);
  device.compiler = false;
  EXPECT_THAT(check_usable(device).error().message, ::testing::HasSubstr("no compiler"));
  device = facts("gpu", DeviceKind::kGpu);
  device.max_work_group = 32;
  EXPECT_THAT(check_usable(device).error().message, ::testing::HasSubstr("64 are needed"));
}

}  // namespace
}  // namespace hb::opencl
