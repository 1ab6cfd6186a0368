// Vocabularies that contradict themselves: each gives an error that names the key or token, never a
// tokenizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "model/gguf_header.h"
#include "model/vocab_file.h"

namespace hb {
namespace {

using test::byte_level;
using test::error_of;
using test::sentencepiece;
using test::VocabFile;
using testing::HasSubstr;

struct Hostile {
  const char* name;
  std::function<void(VocabFile*)> spoil;
  ErrorCode code;
  const char* says;
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

class HostileBpeTest : public testing::TestWithParam<Hostile> {};
class HostileSpmTest : public testing::TestWithParam<Hostile> {};

void expect_refused(VocabFile vocab, const Hostile& hostile) {
  EXPECT_EQ(error_of(vocab).message, "accepted");
  hostile.spoil(&vocab);
  const Error error = error_of(vocab);
  EXPECT_EQ(error.code, hostile.code) << error.message;
  EXPECT_THAT(error.message, HasSubstr(hostile.says));
}

TEST_P(HostileBpeTest, IsRefused) { expect_refused(byte_level({"a b"}), GetParam()); }
TEST_P(HostileSpmTest, IsRefused) { expect_refused(sentencepiece({{"a", -1}}), GetParam()); }

std::function<void(VocabFile*)> number(const char* key, int32_t value) {
  return [=](VocabFile* vocab) { vocab->numbers[key] = value; };
}
std::function<void(VocabFile*)> merge(const char* merge) {
  return [=](VocabFile* vocab) { vocab->merges.push_back(merge); };
}
std::function<void(VocabFile*)> byte_spelling(const char* spelling) {
  return [=](VocabFile* vocab) { vocab->tokens[3 + 0x0A].text = spelling; };
}

constexpr ErrorCode kBad = ErrorCode::kBadFile;
std::string name_of(const testing::TestParamInfo<Hostile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Vocabularies, HostileBpeTest,
    testing::Values(
        Hostile{"NoTokens", [](VocabFile* v) { v->tokens.clear(); }, kBad, "tokenizer.ggml.tokens"},
        Hostile{"BosPastTheEnd", number("bos_token_id", 257), kBad, "bos_token_id' at offset"},
        Hostile{"NegativeEos", number("eos_token_id", -1), kBad,
                "is -1, not the id of one of the 257 tokens"},
        Hostile{"HugePad", number("padding_token_id", INT32_MAX), kBad, "padding_token_id"},
        Hostile{"BosThatIsNotThere", [](VocabFile* v) { v->flags["add_bos_token"] = true; }, kBad,
                "add_bos_token' is true"},
        Hostile{"TypeOutOfRange", [](VocabFile* v) { v->tokens[7].type = static_cast<TokenType>(7); }, kBad,
                "token 7 has type 7"},
        Hostile{"MergeWithoutSpace", merge("ab"), kBad, "merge 1 'ab' is not two tokens"},
        Hostile{"EmptyMerge", merge(""), kBad, "merge 1 '' is not two tokens"},
        Hostile{"MergeWithNothing", merge("a "), kBad, "merge 1 'a ' is not two tokens"},
        Hostile{"MergeOfNothing", merge(" a"), kBad, "merge 1 ' a' is not two tokens"},
        Hostile{"MergeOfMissingLeft", merge("zz a"), kBad, "needs the token 'zz'"},
        Hostile{"MergeOfMissingRight", merge("a zz"), kBad, "needs the token 'zz'"},
        Hostile{"MergeIntoMissing", merge("a c"), kBad, "needs the token 'ac'"},
        Hostile{"ThreePartMerge", merge("a b c"), kBad, "needs the token 'b c'"},
        Hostile{"UnknownModel", [](VocabFile* v) { v->model = "rwkv"; }, ErrorCode::kUnsupported, "'rwkv'"},
        Hostile{"UnknownPre", [](VocabFile* v) { v->pre = "\x1b[31m"; }, ErrorCode::kUnsupported,
                "\\x1b[31m"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Vocabularies, HostileSpmTest,
    testing::Values(
        Hostile{"NoScores", [](VocabFile* v) { v->has_scores = false; }, ErrorCode::kNotFound, "scores"},
        Hostile{"NanScore", [](VocabFile* v) { v->tokens[9].score = std::nanf(""); }, kBad,
                "score of token 9"},
        Hostile{"InfiniteScore", [](VocabFile* v) { v->tokens[9].score = -INFINITY; }, kBad,
                "score of token 9"},
        Hostile{"NegativeByte", byte_spelling("<0x-1>"), kBad, "byte token 13 is spelled '<0x-1>'"},
        Hostile{"SignedByte", byte_spelling("<0x+1>"), kBad, "'<0x+1>'"},
        Hostile{"NoHexByte", byte_spelling("<0xG0>"), kBad, "'<0xG0>'"},
        Hostile{"HalfHexByte", byte_spelling("<0x1 >"), kBad, "'<0x1 >'"},
        Hostile{"ShortByte", byte_spelling("<0x1>"), kBad, "'<0x1>'"},
        Hostile{"LongByte", byte_spelling("<0x100>"), kBad, "'<0x100>'"},
        Hostile{"EmptyByte", byte_spelling(""), kBad, "''"},
        Hostile{"NoBytesAndNoUnknown",
                [](VocabFile* v) {
                  v->tokens[3].type = TokenType::kNormal;
                  v->numbers.erase("unknown_token_id");
                },
                kBad, "neither all 256 byte tokens nor"}),
    name_of);

// A header with three tokens and whatever `more` adds.
Error error_with(const std::function<void(GgufHeader*)>& more) {
  GgufHeader header;
  header.set("tokenizer.ggml.model", "llama");
  header.set_strings("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "c"});
  more(&header);
  const std::vector<uint8_t> bytes = header.bytes();
  const auto file = GgufFile::parse(bytes);
  EXPECT_TRUE(file);
  const auto tokenizer = Tokenizer::from_gguf(**file);
  return tokenizer ? Error{ErrorCode::kCancelled, "accepted"} : tokenizer.error();
}

template <class T>
std::function<void(GgufHeader*)> array(const char* key, std::vector<T> values) {
  return [=](GgufHeader* header) { header->set_array<T>(key, values); };
}

TEST(HostileArraysTest, CountsMustAgree) {
  EXPECT_THAT(error_with(array<float>("tokenizer.ggml.scores", {1, 2})).message, HasSubstr("has 2 elements"));
  EXPECT_THAT(error_with(array<float>("tokenizer.ggml.scores", {1, 2, 3, 4})).message,
              HasSubstr("has 4 elements"));
  EXPECT_THAT(error_with(array<int32_t>("tokenizer.ggml.token_type", {1})).message,
              HasSubstr("has 1 elements"));
}

TEST(HostileArraysTest, ElementsMustBeOfTheirKind) {
  EXPECT_THAT(error_with(array<uint8_t>("tokenizer.ggml.scores", {1, 2, 3})).message,
              HasSubstr("array of floats"));
  EXPECT_THAT(error_with(array<float>("tokenizer.ggml.token_type", {1, 2, 3})).message,
              HasSubstr("array of integers"));
  EXPECT_THAT(error_with(array<int32_t>("tokenizer.ggml.token_type", {1, -1, 3})).message,
              HasSubstr("token 1 has type -1"));
  EXPECT_THAT(error_with([](GgufHeader* header) { header->set("tokenizer.ggml.bos_token_id", "x"); }).message,
              HasSubstr("bos_token_id' at offset"));
}

TEST(HostileArraysTest, RepeatedAndEmptyTextsAreHarmless) {
  VocabFile vocab = byte_level();
  vocab.add("a");
  vocab.add("");
  vocab.add("", TokenType::kControl);
  vocab.add("<x>", TokenType::kControl);
  vocab.add("<x>", TokenType::kControl);
  const test::OwnedTokenizer tokenizer(vocab);
  EXPECT_EQ(tokenizer.encode("a<x>", {.parse_special = true}), (std::vector<int32_t>{'a', 259}));
  EXPECT_EQ(tokenizer->piece(256), "a");
  EXPECT_EQ(tokenizer->piece(257), "");
}

}  // namespace
}  // namespace hb
