#include "model/gguf_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "model/gguf.h"
#include "model/temp_folder.h"
#include "model/tiny_model.h"

namespace hb {
namespace {

using testing::HasSubstr;

GgufHeader two_tensors(uint32_t alignment) {
  GgufHeader header(alignment);
  header.set("general.name", "two");
  header.add_tensor("first", TensorType::kF32, {3});
  header.add_tensor("second", TensorType::kQ8_0, {32, 2});
  return header;
}

class GgufWriterTest : public testing::TestWithParam<uint32_t> {
 protected:
  test::TempFolder folder_;
  const std::string path_ = folder_.file("model.gguf");
};

TEST_P(GgufWriterTest, PiecesBecomeAFileThatReadsBack) {
  auto writer = *GgufWriter::create(path_, two_tensors(GetParam()));
  EXPECT_EQ(writer->next_tensor().name, "first");
  ASSERT_TRUE(writer->write(std::vector<uint8_t>(5, 1)));
  ASSERT_TRUE(writer->write(std::vector<uint8_t>(7, 2)));
  EXPECT_EQ(writer->next_tensor().size_bytes, 68u);
  ASSERT_TRUE(writer->write(std::vector<uint8_t>(68, 3)));
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(folder_.file_count(), 1u);

  const auto file = GgufFile::open(path_);
  ASSERT_TRUE(file) << file.error().message;
  const GgufTensor* first = (*file)->find_tensor("first");
  EXPECT_EQ(std::vector<uint8_t>(first->bytes.begin(), first->bytes.end()),
            (std::vector<uint8_t>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2}));
  const GgufTensor* second = (*file)->find_tensor("second");
  EXPECT_EQ(second->file_offset % GetParam(), 0u);
  EXPECT_EQ(std::vector<uint8_t>(second->bytes.begin(), second->bytes.end()), std::vector<uint8_t>(68, 3));
}

INSTANTIATE_TEST_SUITE_P(Alignments, GgufWriterTest, testing::Values(8, 32, 4096));

TEST_F(GgufWriterTest, AnUnfinishedFileLeavesNothing) {
  {
    auto writer = *GgufWriter::create(path_, two_tensors(32));
    ASSERT_TRUE(writer->write(std::vector<uint8_t>(12)));
  }
  EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_F(GgufWriterTest, CopiesMetadataOfEveryKind) {
  GgufHeader original;
  original.set("text", "abc");
  original.set("number", int64_t{-5});
  original.set("flag", true);
  original.set_strings("texts", std::vector<std::string>{"", "x"});
  original.set_array<float>("floats", std::vector<float>{1.0f, 2.0f});
  const auto bytes = original.bytes();
  const auto file = *GgufFile::parse(bytes);
  GgufHeader copy;
  for (const auto& [key, value] : file->metadata()) copy.set(key, value);
  const auto copied_bytes = copy.bytes();
  const auto copied = *GgufFile::parse(copied_bytes);
  EXPECT_EQ(copied->get_string("text"), "abc");
  EXPECT_EQ(copied->find("number")->as_i64(), -5);
  EXPECT_EQ(copied->get_bool("flag", false), true);
  EXPECT_EQ(copied->find("texts")->as_strings(), (std::vector<std::string_view>{"", "x"}));
  EXPECT_EQ(copied->find("floats")->as_floats(), (std::vector<float>{1.0f, 2.0f}));
}

TEST_F(GgufWriterTest, SaysWhyItCannotWrite) {
  const auto writer = GgufWriter::create("/nonexistent/model.gguf", two_tensors(32));
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, ErrorCode::kIo);
  EXPECT_THAT(writer.error().message, HasSubstr("/nonexistent/model.gguf"));
}

// A limit on the file's size stands in for a full disk: write() fails in the same way.
TEST_F(GgufWriterTest, AFullDiskIsAnError) {
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  auto writer = *GgufWriter::create(path_, two_tensors(4096));
  rlimit limit = old_limit;
  limit.rlim_cur = 4100;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = writer->write(std::vector<uint8_t>(12));
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_THAT(status.error().message, HasSubstr("cannot write"));
  writer.reset();
  EXPECT_EQ(folder_.file_count(), 0u);
}

TEST(GgufWriterDeathTest, MisuseStops) {
  test::TempFolder folder;
  auto writer = *GgufWriter::create(folder.file("m"), two_tensors(32));
  EXPECT_DEATH((void)writer->write(std::vector<uint8_t>(13)), "size");
  EXPECT_DEATH((void)writer->finish(), "tensor_index_");
  GgufHeader header;
  header.set("key", 1u);
  EXPECT_DEATH(header.set("key", 2u), "names_");
  EXPECT_DEATH(header.add_tensor("t", TensorType::kQ4_0, {33}), "block_elems");
}

}  // namespace
}  // namespace hb
