#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "model/gguf.h"
#include "model/gguf_writer.h"
#include "model/temp_folder.h"

namespace hb {
namespace {

using testing::HasSubstr;

// What the parts of a model say about themselves; a test changes one number.
struct Part {
  uint16_t number;
  uint16_t count;
  std::string tensor;
};

class GgufSplitTest : public testing::Test {
 protected:
  std::string path(int part) const { return folder_.file(fmt::format("m-{:05}-of-00003.gguf", part)); }

  void write(const std::vector<Part>& parts, int32_t tensor_count = 3) {
    for (size_t i = 0; i < parts.size(); ++i) {
      GgufHeader header;
      if (i == 0) header.set("general.name", "split");
      header.set("split.no", parts[i].number);
      header.set("split.count", parts[i].count);
      header.set("split.tensors.count", tensor_count);
      header.add_tensor(parts[i].tensor, TensorType::kF32, {4});
      auto writer = *GgufWriter::create(path(static_cast<int>(i) + 1), std::move(header));
      ASSERT_TRUE(writer->write(std::vector<uint8_t>(16, static_cast<uint8_t>(i))));
      ASSERT_TRUE(writer->finish());
    }
  }

  std::string error_of(const std::string& path) const {
    const auto file = GgufFile::open(path);
    return file ? "opened" : file.error().message;
  }

  const std::vector<Part> good_ = {{0, 3, "a"}, {1, 3, "b"}, {2, 3, "c"}};
  test::TempFolder folder_;
};

TEST_F(GgufSplitTest, AnyPartOpensAll) {
  write(good_);
  for (const int part : {1, 2, 3}) {
    const auto file = GgufFile::open(path(part));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ((*file)->tensors().size(), 3u);
    EXPECT_EQ((*file)->get_string("general.name"), "split");
    const GgufTensor* c = (*file)->find_tensor("c");
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(c->file_index, 2u);
    EXPECT_EQ(c->bytes[0], 2);
    EXPECT_EQ((*file)->file_size_bytes(), std::filesystem::file_size(path(1)) +
                                              std::filesystem::file_size(path(2)) +
                                              std::filesystem::file_size(path(3)));
    (*file)->release(c->bytes);
    EXPECT_TRUE((*file)->intact());
  }
}

TEST_F(GgufSplitTest, DisagreementsAreErrors) {
  auto parts = good_;
  parts[1].number = 2;
  write(parts);
  EXPECT_THAT(error_of(path(1)), HasSubstr("m-00002-of-00003.gguf: key 'split.no' is 2"));
  parts = good_;
  parts[2].count = 4;
  write(parts);
  EXPECT_THAT(error_of(path(1)), HasSubstr("m-00003-of-00003.gguf: key 'split.count' is 4"));
  parts = good_;
  parts[0].count = 2;
  write(parts);
  EXPECT_THAT(error_of(path(1)), HasSubstr("m-00002-of-00003.gguf: key 'split.count' is 3"));
  parts[0].number = 1;
  write(parts);
  EXPECT_THAT(error_of(path(1)), HasSubstr("m-00001-of-00003.gguf: key 'split.no' is 1"));
  write({{0, 4, "a"}, {1, 4, "b"}, {2, 4, "c"}});
  EXPECT_THAT(error_of(path(1)), HasSubstr("key 'split.count' is 4"));
  write(good_, 4);
  EXPECT_THAT(error_of(path(1)), HasSubstr("key 'split.tensors.count' is 4"));
  parts = good_;
  parts[2].tensor = "a";
  write(parts);
  EXPECT_THAT(error_of(path(1)), HasSubstr("m-00003-of-00003.gguf: tensor 'a' is there twice"));
}

TEST_F(GgufSplitTest, AMissingPartIsNamed) {
  write(good_);
  std::filesystem::remove(path(2));
  EXPECT_THAT(error_of(path(3)), HasSubstr("m-00002-of-00003.gguf"));
  std::filesystem::remove(path(1));
  EXPECT_THAT(error_of(path(3)), HasSubstr("m-00001-of-00003.gguf"));
}

TEST_F(GgufSplitTest, ARenamedPartAsksForItsName) {
  write(good_);
  std::filesystem::rename(path(1), folder_.file("model.gguf"));
  EXPECT_THAT(error_of(folder_.file("model.gguf")), HasSubstr("model-00001-of-00003.gguf"));
}

TEST_F(GgufSplitTest, ANameLikeAPartsIsNoProblemForAWholeModel) {
  GgufHeader header;
  header.set("general.name", "whole");
  const std::string path = folder_.file("m-00001-of-00001.gguf");
  ASSERT_TRUE((*GgufWriter::create(path, std::move(header)))->finish());
  EXPECT_EQ(error_of(path), "opened");
}

TEST_F(GgufSplitTest, ErrorsBeginWithTheFile) {
  const std::string path = folder_.file("bad.gguf");
  std::ofstream(path) << "GGUF";
  EXPECT_EQ(error_of(path), path + ": offset 4: the file ends inside the version");
}

}  // namespace
}  // namespace hb
