#include "fetch/sha256.h"

#include <gtest/gtest.h>

#include "fetch/sha256_file.h"
#include "fetch/temp_folder.h"

namespace hb {
namespace {

std::string digest_of(const std::string& text, size_t piece_bytes) {
  Sha256 hash;
  for (size_t begin = 0; begin < text.size(); begin += piece_bytes) {
    const std::string piece = text.substr(begin, piece_bytes);
    hash.update({reinterpret_cast<const uint8_t*>(piece.data()), piece.size()});
  }
  return hash.finish();
}

// The examples of FIPS 180-2.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(digest_of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of(std::string(1000000, 'a'), 777),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, ResetBeginsAgain) {
  Sha256 hash;
  const uint8_t junk[] = {1, 2, 3};
  hash.update(junk);
  hash.reset();
  EXPECT_EQ(hash.finish(), digest_of("", 1));
}

TEST(Sha256, KnowsItsOwnForm) {
  EXPECT_TRUE(is_sha256_hex(digest_of("abc", 1)));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a')));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'A')));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'g')));
}

TEST(Sha256File, HashesWholeFilesAndCanBeStopped) {
  const TempFolder folder;
  const std::string content(9'000'001, 'a');
  write_file(folder / "file", content);
  EXPECT_EQ(sha256_of_file(folder / "file", {}).value(), digest_of(content, content.size()));
  const auto stopped = sha256_of_file(folder / "file", [](const Progress&) { return false; });
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(sha256_of_file(folder / "none", {}).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hb
