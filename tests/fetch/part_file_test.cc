#include "fetch/part_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "fetch/temp_folder.h"
#include "support/small_disk.h"

namespace hb {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

constexpr const char* kAbcSha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(PartFile, BecomesTheTargetOnlyWhenFinished) {
  const TempFolder folder;
  const std::string target = folder / "deep/er/model";
  const auto file = PartFile::open(target).value();
  ASSERT_TRUE(file->append(bytes_of("abc")));
  EXPECT_FALSE(std::filesystem::exists(target));
  EXPECT_EQ(file->finish(kAbcSha256).value(), kAbcSha256);
  EXPECT_EQ(read_file(target), "abc");
  EXPECT_FALSE(std::filesystem::exists(target + ".part"));
}

TEST(PartFile, GoesOnWhereAnEarlierOneEnded) {
  const TempFolder folder;
  ASSERT_TRUE(PartFile::open(folder / "model").value()->append(bytes_of("ab")));
  const auto file = PartFile::open(folder / "model").value();
  EXPECT_EQ(file->size_bytes(), 2u);
  ASSERT_TRUE(file->append(bytes_of("c")));
  EXPECT_EQ(file->finish("").value(), kAbcSha256);
}

TEST(PartFile, RestartForgetsContentAndHash) {
  const TempFolder folder;
  const auto file = PartFile::open(folder / "model").value();
  ASSERT_TRUE(file->append(bytes_of("other")));
  ASSERT_TRUE(file->restart());
  ASSERT_TRUE(file->append(bytes_of("abc")));
  EXPECT_EQ(file->finish(kAbcSha256).value(), kAbcSha256);
  EXPECT_EQ(read_file(folder / "model"), "abc");
}

TEST(PartFile, WrongContentIsRemoved) {
  const TempFolder folder;
  const auto file = PartFile::open(folder / "model").value();
  ASSERT_TRUE(file->append(bytes_of("abd")));
  const auto outcome = file->finish(kAbcSha256);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kBadFile);
  EXPECT_NE(outcome.error().message.find(kAbcSha256), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PartFile, OneOwnerAtATime) {
  const TempFolder folder;
  auto first = PartFile::open(folder / "model").value();
  ASSERT_TRUE(first->append(bytes_of("x")));
  const auto second = PartFile::open(folder / "model");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
  first.reset();
  EXPECT_TRUE(PartFile::open(folder / "model"));
}

TEST(PartFile, AnEmptyOneLeavesNothing) {
  const TempFolder folder;
  PartFile::open(folder / "model").value().reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PartFile, SaysWhyItCannotWrite) {
  const TempFolder folder;
  write_file(folder / "file", "x");
  EXPECT_EQ(PartFile::open(folder / "file/model").error().code, ErrorCode::kIo);
}

// A size limit stands in for a full disk: both are a write that the system refuses half-way.
TEST(PartFile, AFullDiskKeepsWhatFitted) {
  const TempFolder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{1000, old_limit.rlim_max};
  auto file = PartFile::open(folder / "model").value();
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = file->append(bytes_of(std::string(1500, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_NE(status.error().message.find("File too large"), std::string::npos) << status.error().message;
  EXPECT_EQ(file->size_bytes(), 1000u);
  file.reset();
  EXPECT_EQ(read_file(folder / "model.part").size(), 1000u);
}

TEST(PartFile, AFullDiskLeavesTheFinishedFile) {
  const TempFolder folder;
  const std::string target = folder / "model";
  const std::string words = test::on_small_disk(folder.path(), 32 << 10, [&]() -> std::string {
    write_file(target, "old");
    const Status status = PartFile::open(target).value()->append(bytes_of(std::string(100'000, 'x')));
    if (status) return "it fits";
    return read_file(target) == "old" ? status.error().message : "the old file has changed";
  });
  if (words.starts_with("skip")) GTEST_SKIP() << words;
  EXPECT_EQ(words, "cannot write byte 28672 of '" + target + ".part': No space left on device");
}

}  // namespace
}  // namespace hb
