#include "backend/opencl/program_cache_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace hb::opencl {
namespace {

namespace fs = std::filesystem;

class ProgramCacheFile : public ::testing::Test {
 protected:
  ProgramCacheFile() { EXPECT_TRUE(write_program(path_, data_)); }
  ~ProgramCacheFile() override { fs::remove_all(folder_); }

  std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  std::string folder_ = ::testing::TempDir() + "program_cache_" +
                        ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string path_ = folder_ + "/opencl/device.program";
  std::vector<uint8_t> data_ = {1, 2, 3, 4, 5};
};

TEST_F(ProgramCacheFile, IsReadAsItWasWritten) {
  EXPECT_EQ(read_program(path_), data_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/opencl"), {}), 1) << "a temporary file was left";
}

TEST_F(ProgramCacheFile, IsReplaced) {
  const std::vector<uint8_t> other = {9};
  EXPECT_TRUE(write_program(path_, other));
  EXPECT_EQ(read_program(path_), other);
}

TEST_F(ProgramCacheFile, IsIgnoredWhenDamaged) {
  const std::string good = contents();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    replace(bad);
    EXPECT_TRUE(read_program(path_).empty()) << "byte " << i;
    replace(good.substr(0, i));
    EXPECT_TRUE(read_program(path_).empty()) << "cut at " << i;
  }
  replace(good + "x");
  EXPECT_TRUE(read_program(path_).empty());
}

TEST_F(ProgramCacheFile, OfNothingIsNothing) { EXPECT_TRUE(read_program(folder_ + "/none").empty()); }

TEST_F(ProgramCacheFile, FolderThatCannotBeWrittenIsAnError) {
  const auto status = write_program(path_ + "/below/a/file", data_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST(ProgramCachePath, DependsOnTextOptionsDeviceAndDriver) {
  DeviceFacts facts, driver, device;
  driver.driver = "2";
  device.name = "other";
  const std::set<std::string> paths = {
      program_cache_path("f", facts, "k", "text", "-D"),  program_cache_path("f", driver, "k", "text", "-D"),
      program_cache_path("f", device, "k", "text", "-D"), program_cache_path("f", facts, "k", "other", "-D"),
      program_cache_path("f", facts, "k", "text-", "D"),  program_cache_path("f", facts, "l", "text", "-D")};
  EXPECT_EQ(paths.size(), 6u);
}

}  // namespace
}  // namespace hb::opencl
