#include "backend/vulkan/pipeline_cache_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace hb::vulkan {
namespace {

namespace fs = std::filesystem;

class PipelineCacheFile : public ::testing::Test {
 protected:
  PipelineCacheFile() { EXPECT_TRUE(write_pipeline_cache(path_, data_)); }
  ~PipelineCacheFile() override { fs::remove_all(folder_); }

  std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  std::string folder_ = ::testing::TempDir() + "pipeline_cache_" +
                        ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string path_ = folder_ + "/vulkan/device.pipelines";
  std::vector<uint8_t> data_ = {1, 2, 3, 4, 5};
};

TEST_F(PipelineCacheFile, IsReadAsItWasWritten) {
  EXPECT_EQ(read_pipeline_cache(path_), data_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/vulkan"), {}), 1) << "a temporary file was left";
}

TEST_F(PipelineCacheFile, IsReplaced) {
  const std::vector<uint8_t> other = {9};
  EXPECT_TRUE(write_pipeline_cache(path_, other));
  EXPECT_EQ(read_pipeline_cache(path_), other);
}

TEST_F(PipelineCacheFile, IsIgnoredWhenDamaged) {
  const std::string good = contents();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    replace(bad);
    EXPECT_TRUE(read_pipeline_cache(path_).empty()) << "byte " << i;
    replace(good.substr(0, i));
    EXPECT_TRUE(read_pipeline_cache(path_).empty()) << "cut at " << i;
  }
  replace(good + "x");
  EXPECT_TRUE(read_pipeline_cache(path_).empty());
}

TEST_F(PipelineCacheFile, OfNothingIsNothing) { EXPECT_TRUE(read_pipeline_cache(folder_ + "/none").empty()); }

TEST_F(PipelineCacheFile, FolderThatCannotBeWrittenIsAnError) {
  const auto status = write_pipeline_cache(path_ + "/below/a/file", data_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST(PipelineCachePath, DependsOnDeviceDriverAndKernels) {
  DeviceFacts facts, driver, device;
  driver.driver_version = 1;
  device.cache_uuid[15] = 1;
  std::set<std::string> paths = {pipeline_cache_path("f", facts, 0), pipeline_cache_path("f", driver, 0),
                                 pipeline_cache_path("f", device, 0), pipeline_cache_path("f", facts, 1)};
  EXPECT_EQ(paths.size(), 4u);
}

}  // namespace
}  // namespace hb::vulkan
