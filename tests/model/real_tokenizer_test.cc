// Ids of a text that every Debian has, as llama.cpp (commit 0c1e57098) gives them for the real vocabularies.
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "model/real_models.h"
#include "model/tokenizer.h"

namespace hb {
namespace {

constexpr const char* kText = "/usr/share/common-licenses/GPL-3";
constexpr const char* kTextSha256 = "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986";

std::string sha256(const void* data, size_t size_bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(static_cast<const unsigned char*>(data), size_bytes, digest);
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

struct Expected {
  const char* model;
  size_t count;
  const char* sha256;  // of the ids as little-endian int32
};

class RealTokenizerTest : public testing::TestWithParam<Expected> {};

TEST_P(RealTokenizerTest, GivesTheIdsOfLlamaCpp) {
  HB_REAL_MODEL_OR_SKIP(path, GetParam().model);
  std::ifstream in(kText, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (sha256(text.data(), text.size()) != kTextSha256)
    GTEST_SKIP() << kText << " is missing or another edition";

  const auto file = GgufFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  const auto tokenizer = Tokenizer::from_gguf(**file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto ids = (*tokenizer)->encode(text);
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->size(), GetParam().count);
  EXPECT_EQ(sha256(ids->data(), ids->size() * sizeof(int32_t)), GetParam().sha256);
  EXPECT_EQ((*tokenizer)->decode(*ids), text);
}

INSTANTIATE_TEST_SUITE_P(
    Models, RealTokenizerTest,
    testing::Values(
        Expected{test::kSmolLm2, 7639, "852de624d5f98353b3218e472fbd75a9ed89d21d51367210d855fcbc4aaf2234"},
        Expected{test::kGemma3, 7563, "313b45e30a4ca0787ec591683d0aa03093cdc5b03af31fdbdbe60eae8d06be0b"}),
    [](const auto& info) {
      return std::string(info.param.model).substr(0, 5) == "SmolL" ? "SmolLM2" : "Gemma3";
    });

TEST(RealTokenizerTest, SmolLm2SeesChatMarkersOnlyWhenAsked) {
  HB_REAL_MODEL_OR_SKIP(path, test::kSmolLm2);
  const auto file = GgufFile::open(path);
  ASSERT_TRUE(file);
  const auto tokenizer = Tokenizer::from_gguf(**file);
  ASSERT_TRUE(tokenizer);
  const auto marked = (*tokenizer)->encode("<|im_start|>user\n", {.parse_special = true});
  const auto plain = (*tokenizer)->encode("<|im_start|>user\n");
  EXPECT_EQ(marked->front(), 1);
  EXPECT_EQ(std::ranges::count(*plain, 1), 0);
  EXPECT_EQ((*tokenizer)->decode(*plain), "<|im_start|>user\n");
  EXPECT_TRUE((*tokenizer)->is_end_of_generation(2));
  EXPECT_TRUE((*tokenizer)->is_end_of_generation(0));
  EXPECT_FALSE((*tokenizer)->is_end_of_generation(1));
}

TEST(RealTokenizerTest, GemmaKeepsRunsOfSpacesAndLineEnds) {
  HB_REAL_MODEL_OR_SKIP(path, test::kGemma3);
  const auto file = GgufFile::open(path);
  ASSERT_TRUE(file);
  const auto tokenizer = Tokenizer::from_gguf(**file);
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(*(*tokenizer)->encode("\n\n\n"), (std::vector<int32_t>{2, 109}));
  EXPECT_EQ(*(*tokenizer)->encode("   "), (std::vector<int32_t>{2, 139}));
  const auto ids = (*tokenizer)->encode("\xF0\x9F\xA7\xBF\xFF z\u00A0", {.add_special = false});
  EXPECT_EQ((*tokenizer)->decode(*ids), "\xF0\x9F\xA7\xBF\xFF z\u00A0");
  EXPECT_TRUE((*tokenizer)->is_end_of_generation(1));
  EXPECT_TRUE((*tokenizer)->is_end_of_generation(106));  // <end_of_turn>
}

}  // namespace
}  // namespace hb
