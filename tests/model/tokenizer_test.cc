#include "model/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "model/byte_alphabet.h"
#include "model/vocab_file.h"

namespace hb {
namespace {

using test::byte_level;
using test::OwnedTokenizer;
using test::sentencepiece;
using test::VocabFile;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ByteAlphabetTest, SpellsBytesAsGpt2Does) {
  EXPECT_EQ(spelling_of_byte('a'), "a");
  EXPECT_EQ(spelling_of_byte(' '), "\u0120");
  EXPECT_EQ(spelling_of_byte('\n'), "\u010A");
  EXPECT_EQ(spelling_of_byte(0x00), "\u0100");
  EXPECT_EQ(spelling_of_byte(0x7F), "\u0121");
  EXPECT_EQ(spelling_of_byte(0xA0), "\u0142");
  EXPECT_EQ(spelling_of_byte(0xAD), "\u0143");
  EXPECT_EQ(spelling_of_byte(0xFF), "\u00FF");
}

TEST(ByteAlphabetTest, EveryByteComesBackAndNothingElse) {
  std::string spelling, bytes;
  for (int byte = 0; byte < 256; ++byte) {
    spelling += spelling_of_byte(static_cast<uint8_t>(byte));
    bytes += static_cast<char>(byte);
  }
  EXPECT_EQ(bytes_of_spelling(spelling), bytes);
  for (const char* foreign : {" ", "\u0144", "\u4E2D", "\xC3", "\xC3z", "\x80", "\u00AD"}) {
    EXPECT_EQ(bytes_of_spelling(foreign), std::nullopt) << foreign;
  }
}

TEST(BpeTest, MergesByRankThenFromTheLeft) {
  const OwnedTokenizer tokenizer(byte_level({"b c", "a b", "a bc", "x x"}));
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(258));  // b+c comes first, then a+bc
  EXPECT_THAT(tokenizer.encode("ab"), ElementsAre(257));
  EXPECT_THAT(tokenizer.encode("xxxxx"), ElementsAre(259, 259, 'x'));
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
}

TEST(BpeTest, MergesStayWithinAWord) {
  const OwnedTokenizer tokenizer(byte_level({"a !", "\u0120 b"}));
  EXPECT_THAT(tokenizer.encode("a!"), ElementsAre('a', '!'));
  EXPECT_THAT(tokenizer.encode("a b"), ElementsAre('a', 257));
}

TEST(BpeTest, AnyBytesComeBack) {
  std::mt19937 random(1);
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "qwen2", "default"}) {
    VocabFile vocab = byte_level({"a b", "\u0120 \u0120", "\u00C3 \u00A9"});
    vocab.pre = pre;
    const OwnedTokenizer tokenizer(vocab);
    for (int round = 0; round < 200; ++round) {
      std::string text(random() % 60, '\0');
      for (char& c : text)
        c = static_cast<char>(random() % 4 == 0 ? random() : "ab \n\xC3\xA9"[random() % 6]);
      EXPECT_EQ(tokenizer->decode(tokenizer.encode(text)), text);
    }
  }
}

TEST(BpeTest, WholeWordsComeBeforeMergesOnlyForLlama3) {
  VocabFile vocab = byte_level({"a b"});
  const int32_t abc = vocab.add("abc");
  vocab.pre = "llama-bpe";
  EXPECT_THAT(OwnedTokenizer(vocab).encode("abc"), ElementsAre(abc));
  vocab.pre = "qwen2";
  EXPECT_THAT(OwnedTokenizer(vocab).encode("abc"), ElementsAre(256, 'c'));
}

TEST(BpeTest, AByteThatHasNoTokenIsLeftOut) {
  VocabFile vocab = byte_level({"a c"});
  vocab.tokens['b'].text = "[gone]";
  EXPECT_THAT(OwnedTokenizer(vocab).encode("abc"), ElementsAre(256));
}

TEST(BpeTest, AMegabyteInOneWordEnds) {
  const OwnedTokenizer tokenizer(byte_level({"a a", "aa aa", "aaaa aaaa"}));
  const auto ids = tokenizer.encode(std::string(1 << 20, 'a'));
  EXPECT_EQ(ids, std::vector<int32_t>((1 << 20) / 8, 258));
}

TEST(BpeTest, ATokenOutsideTheAlphabetIsItsOwnText) {
  VocabFile vocab = byte_level();
  const int32_t id = vocab.add("\u4E2D ");
  EXPECT_EQ(OwnedTokenizer(vocab)->piece(id), "\u4E2D ");
}

TEST(SpecialTokensTest, TheLongestCountsAndControlOnesOnlyWhenAsked) {
  VocabFile vocab = byte_level();
  const int32_t end = vocab.add("<|e|>", TokenType::kControl);
  const int32_t twice = vocab.add("<|e|><|e|>", TokenType::kControl);
  const int32_t tag = vocab.add("<t>", TokenType::kUserDefined);
  const OwnedTokenizer tokenizer(vocab);
  const EncodeOptions parse{.parse_special = true};
  EXPECT_THAT(tokenizer.encode("<|e|><|e|><|e|>a", parse), ElementsAre(twice, end, 'a'));
  EXPECT_THAT(tokenizer.encode("<|e|<t>", parse), ElementsAre('<', '|', 'e', '|', tag));
  EXPECT_THAT(tokenizer.encode("<|e|><t>"), ElementsAre('<', '|', 'e', '|', '>', tag));
  EXPECT_EQ(tokenizer->piece(end), "");
  EXPECT_EQ(tokenizer->piece(end, true), "<|e|>");
  EXPECT_EQ(tokenizer->piece(tag), "<t>");
  EXPECT_TRUE(tokenizer->is_control(end));
  EXPECT_FALSE(tokenizer->is_control(tag));
}

TEST(SpecialTokensTest, BeginAndEndAreAddedAsTheFileSays) {
  VocabFile vocab = byte_level();
  vocab.numbers["bos_token_id"] = vocab.add("<s>", TokenType::kControl);
  vocab.numbers["eos_token_id"] = vocab.add("</s>", TokenType::kControl);
  EXPECT_THAT(OwnedTokenizer(vocab).encode("a"), ElementsAre('a'));
  vocab.flags = {{"add_bos_token", true}, {"add_eos_token", true}};
  const OwnedTokenizer tokenizer(vocab);
  EXPECT_THAT(tokenizer.encode("a"), ElementsAre(256, 'a', 257));
  EXPECT_THAT(tokenizer.encode("a", {.add_special = false}), ElementsAre('a'));
  EXPECT_EQ(tokenizer->bos(), 256);
  EXPECT_EQ(tokenizer->eos(), 257);
  EXPECT_EQ(tokenizer->pad(), std::nullopt);
  EXPECT_TRUE(tokenizer->is_end_of_generation(257));
  EXPECT_FALSE(tokenizer->is_end_of_generation(256));
}

TEST(SpecialTokensTest, Llama3BeginsWithoutBeingTold) {
  VocabFile vocab = byte_level();
  vocab.pre = "llama-bpe";
  EXPECT_FALSE(OwnedTokenizer(vocab)->adds_bos());
  vocab.numbers["bos_token_id"] = vocab.add("<|begin_of_text|>", TokenType::kControl);
  EXPECT_TRUE(OwnedTokenizer(vocab)->adds_bos());
}

TEST(SpecialTokensTest, IdsOutsideTheVocabularyAreNothing) {
  const OwnedTokenizer tokenizer(byte_level());
  for (const int32_t id : {-1, 256, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(tokenizer->piece(id, true), "");
    EXPECT_FALSE(tokenizer->is_control(id));
    EXPECT_FALSE(tokenizer->is_end_of_generation(id));
  }
}

constexpr int32_t kFirstPiece = 259;
constexpr int32_t byte_token(uint8_t byte) { return 3 + byte; }

TEST(SpmTest, MergesByScoreThenFromTheLeft) {
  const OwnedTokenizer tokenizer(
      sentencepiece({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", -2}, {"bc", -1}, {"abc", -3}, {"aa", -1}}));
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(kFirstPiece + 5));
  EXPECT_THAT(tokenizer.encode("abcb"), ElementsAre(kFirstPiece + 5, kFirstPiece + 1));
  EXPECT_THAT(tokenizer.encode("aaa"), ElementsAre(kFirstPiece + 6, kFirstPiece));
}

TEST(SpmTest, SpellsWhatItLacksInBytes) {
  const OwnedTokenizer tokenizer(sentencepiece({{"a", -1}, {"\u2581", -1}}));
  EXPECT_THAT(tokenizer.encode("a \u00E9\xFF"), ElementsAre(kFirstPiece, kFirstPiece + 1, byte_token(0xC3),
                                                            byte_token(0xA9), byte_token(0xFF)));
  EXPECT_EQ(tokenizer->decode(tokenizer.encode("a \u00E9\xFF")), "a \u00E9\xFF");
}

TEST(SpmTest, WithoutByteTokensARunOfUnknownTextIsOneToken) {
  VocabFile vocab = sentencepiece({{"a", -1}});
  vocab.tokens.erase(vocab.tokens.begin() + 3, vocab.tokens.begin() + 259);
  EXPECT_THAT(OwnedTokenizer(vocab).encode("xyaz"), ElementsAre(0, 3, 0));
}

TEST(SpmTest, PutsASpaceInFrontIfToldAndTakesItAway) {
  VocabFile vocab = sentencepiece({{"a", -1},
                                   {"\u2581", -1},
                                   {"\u2581"
                                    "a",
                                    -1}});
  vocab.flags["add_space_prefix"] = true;
  const OwnedTokenizer tokenizer(vocab);
  EXPECT_THAT(tokenizer.encode("a"), ElementsAre(kFirstPiece + 2));
  EXPECT_THAT(tokenizer.encode("a</s>a", {.parse_special = true}),
              ElementsAre(kFirstPiece + 2, 2, kFirstPiece + 2));
  EXPECT_EQ(tokenizer->decode(tokenizer.encode(" a  a")), " a  a");
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
}

TEST(SpmTest, SqueezesSpacesIfTold) {
  VocabFile vocab = sentencepiece({{"a", -1}, {"\u2581", -1}});
  vocab.flags["remove_extra_whitespaces"] = true;
  const OwnedTokenizer tokenizer(vocab);
  EXPECT_THAT(tokenizer.encode("  a   a "), ElementsAre(kFirstPiece, kFirstPiece + 1, kFirstPiece));
  EXPECT_THAT(tokenizer.encode("   "), IsEmpty());
}

TEST(SpmTest, UnusedPiecesMergeAndFallApartAgain) {
  VocabFile vocab = sentencepiece({{"a", -9}, {"b", -9}, {"ab", -1}, {"abb", -2}});
  vocab.tokens[kFirstPiece + 2].type = TokenType::kUnused;
  const OwnedTokenizer tokenizer(vocab);
  EXPECT_THAT(tokenizer.encode("ab"), ElementsAre(kFirstPiece, kFirstPiece + 1));
  EXPECT_THAT(tokenizer.encode("abb"), ElementsAre(kFirstPiece + 3));
  EXPECT_THAT(tokenizer.encode("abab"),
              ElementsAre(kFirstPiece, kFirstPiece + 1, kFirstPiece, kFirstPiece + 1));
}

TEST(SpmTest, ControlTokensDoNotAriseFromText) {
  const OwnedTokenizer tokenizer(sentencepiece({{"<", -1}, {"s", -1}, {">", -1}, {"<s", -1}}));
  EXPECT_THAT(tokenizer.encode("<s>"), ElementsAre(kFirstPiece + 3, kFirstPiece + 2));
  EXPECT_THAT(tokenizer.encode("<s>", {.parse_special = true}), ElementsAre(1));
}

TEST(SpmTest, ALongTextEnds) {
  const OwnedTokenizer tokenizer(sentencepiece({{"a", -9}, {"aa", -2}, {"aaaa", -1}}));
  EXPECT_EQ(tokenizer.encode(std::string(1 << 20, 'a')),
            std::vector<int32_t>((1 << 20) / 4, kFirstPiece + 2));
}

}  // namespace
}  // namespace hb
