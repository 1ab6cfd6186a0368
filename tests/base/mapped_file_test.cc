#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

namespace hb {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  std::string write(size_t size_bytes) {
    const auto path = std::filesystem::temp_directory_path() / ("hb_mapped_" + std::to_string(::getpid()));
    std::ofstream(path, std::ios::binary) << std::string(size_bytes, 'x');
    path_ = path;
    return path;
  }
  ~MappedFileTest() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

uint64_t sum_of(const MappedFile& file) {
  const auto bytes = file.bytes();
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
}

TEST_F(MappedFileTest, ReadsWhatWasWritten) {
  const auto file = MappedFile::open(write(10000));
  ASSERT_TRUE(file);
  EXPECT_EQ(sum_of(**file), 10000u * 'x');
  EXPECT_TRUE((*file)->intact());
}

TEST_F(MappedFileTest, TruncationIsAnErrorNotASignal) {
  const auto file = MappedFile::open(write(1 << 20));
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path_, 4096);
  EXPECT_EQ(sum_of(**file), 4096u * 'x');
  const Status intact = (*file)->intact();
  ASSERT_FALSE(intact);
  EXPECT_EQ(intact.error().code, ErrorCode::kIo);
  EXPECT_NE(intact.error().message.find(path_.string()), std::string::npos);
}

TEST_F(MappedFileTest, ReleasedPagesCanBeReadAgain) {
  const auto file = MappedFile::open(write(100000));
  ASSERT_TRUE(file);
  (*file)->release(0, 100000);
  EXPECT_EQ(sum_of(**file), 100000u * 'x');
}

TEST_F(MappedFileTest, SaysWhyItCannotOpen) {
  EXPECT_EQ(MappedFile::open("/nonexistent/model.gguf").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(MappedFile::open("/").error().code, ErrorCode::kIo);
  EXPECT_EQ(MappedFile::open(write(0)).error().code, ErrorCode::kBadFile);
}

}  // namespace
}  // namespace hb
