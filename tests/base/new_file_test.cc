#include "base/new_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "support/small_disk.h"

namespace hb {
namespace {

class NewFileTest : public testing::Test {
 protected:
  NewFileTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "hb_new_file_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "file";
  }
  ~NewFileTest() override { std::filesystem::remove_all(folder_); }

  std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t file_count() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  static Status write(const std::string& path, std::string_view text) {
    HB_ASSIGN(const auto file, NewFile::create(path));
    HB_TRY(file->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
    return file->finish();
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(NewFileTest, TakesTheNameWhenItIsWhole) {
  ASSERT_TRUE(write(path_, "old"));
  {
    const auto file = NewFile::create(path_).value();
    ASSERT_TRUE(file->write(std::vector<uint8_t>(3, 'n')));
    EXPECT_EQ(content(), "old");
    ASSERT_TRUE(file->finish());
  }
  EXPECT_EQ(content(), "nnn");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(NewFileTest, LeavesNothingIfItIsGivenUp) {
  ASSERT_TRUE(NewFile::create(path_).value()->write(std::vector<uint8_t>(3, 'n')));
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(NewFileTest, SaysWhyItCannotBeWritten) {
  const Status status = write(folder_ / "none" / "file", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_NE(status.error().message.find("none/file': No such file"), std::string::npos)
      << status.error().message;
  std::filesystem::create_directory(path_);
  EXPECT_EQ(write(path_, "x").error().code, ErrorCode::kIo);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(NewFileTest, AFullDiskLeavesWhatWasThere) {
  const std::string words = test::on_small_disk(folder_, 16 << 10, [&]() -> std::string {
    if (!write(path_, "old")) return "the first file does not fit";
    const Status status = write(path_, std::string(64 << 10, 'n'));
    if (status) return "the second file fits";
    if (content() != "old") return "the old file has changed";
    if (file_count() != 1) return "a part of the new file is left";
    return status.error().message;
  });
  if (words.starts_with("skip")) GTEST_SKIP() << words;
  EXPECT_EQ(words,
            "cannot write '" + path_ + "': No space left on device; what was there before is unchanged");
}

}  // namespace
}  // namespace hb
