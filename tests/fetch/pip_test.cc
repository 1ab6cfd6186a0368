#include "fetch/pip.h"

#include <gtest/gtest.h>

#include "fetch/fake_index.h"

namespace hb {
namespace {

class PipTest : public testing::Test {
 protected:
  PipRequest request(const std::string& package) const {
    return {.package = package,
            .version = "1.0",
            .folder = target_.path() / package,
            .wheel_bytes = 100,
            .progress = {}};
  }

  FakeIndex index_;
  TempFolder target_;
};

TEST_F(PipTest, BringsAWheelOnce) {
  index_.add("some==1.0", "file", "content");
  const auto wheel = pip_download(request("some"));
  ASSERT_TRUE(wheel) << wheel.error().message;
  EXPECT_EQ(read_file(*wheel), read_file(index_.wheel("some==1.0")));
  EXPECT_EQ(pip_download(request("some")).value(), *wheel);
  EXPECT_EQ(index_.calls(), "some==1.0\n");
  EXPECT_FALSE(std::filesystem::exists(target_ / "some/incoming"));
}

TEST_F(PipTest, WhatAKilledPipLeftIsNotAWheel) {
  index_.add("some==1.0", "file", "content");
  for (const char* name : {"a.whl", "b.whl", "some==1.0.whl", "y.whl", "z.whl"}) {
    write_file(target_ / (std::string("some/incoming/") + name), "half of");
  }
  const auto wheel = pip_download(request("some"));
  ASSERT_TRUE(wheel);
  EXPECT_EQ(read_file(*wheel), read_file(index_.wheel("some==1.0")));
}

TEST_F(PipTest, RepeatsPipsComplaint) {
  const auto wheel = pip_download(request("absent"));
  ASSERT_FALSE(wheel);
  EXPECT_EQ(wheel.error().code, ErrorCode::kIo);
  EXPECT_NE(wheel.error().message.find("No matching distribution found for absent==1.0"), std::string::npos);
}

TEST_F(PipTest, SaysHowToGetPip) {
  const ScopedVariable no_pip("FAKE_PIP_VERSION_EXIT", "1");
  const auto wheel = pip_download(request("some"));
  ASSERT_FALSE(wheel);
  EXPECT_EQ(wheel.error().code, ErrorCode::kNotFound);
  EXPECT_NE(wheel.error().message.find("python3-pip"), std::string::npos);
}

TEST_F(PipTest, SaysThatPythonIsMissing) {
  const ScopedVariable empty_path("PATH", target_.path());
  const auto wheel = pip_download(request("some"));
  ASSERT_FALSE(wheel);
  EXPECT_EQ(wheel.error().code, ErrorCode::kNotFound);
  EXPECT_NE(wheel.error().message.find("python3"), std::string::npos);
}

TEST_F(PipTest, StopsOnRequest) {
  const ScopedVariable slow("FAKE_PIP_SLEEP", "60");
  PipRequest impatient = request("some");
  impatient.progress = [](const Progress&) { return false; };
  EXPECT_EQ(pip_download(impatient).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hb
