#include "model/pretokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hb {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string_view>;

Words split(std::string_view name, std::string_view text) {
  const PretokenizerRules* rules = find_pretokenizer_rules(name);
  EXPECT_NE(rules, nullptr) << name;
  const auto pretokenizer = Pretokenizer::create(*rules);
  EXPECT_TRUE(pretokenizer) << pretokenizer.error().message;
  return (*pretokenizer)->split(text);
}

TEST(PretokenizerTest, Gpt2CutsAtCliticsAndLeavesOneSpaceToTheWord) {
  EXPECT_THAT(split("gpt-2", "I'm  here, isn't it?\n\n 123abc"),
              ElementsAre("I", "'m", " ", " here", ",", " isn", "'t", " it", "?", "\n\n", " 123", "abc"));
  EXPECT_THAT(split("gpt-2", "I'M"), ElementsAre("I", "'", "M"));
  EXPECT_THAT(split("gpt-2", "a   "), ElementsAre("a", "   "));
}

TEST(PretokenizerTest, SmollmCutsEveryDigitFirst) {
  EXPECT_THAT(split("smollm", "in  2024: x1"), ElementsAre("in", "  ", "2", "0", "2", "4", ":", " x", "1"));
}

TEST(PretokenizerTest, Llama3TakesThreeDigitsAndCliticsInAnyCase) {
  EXPECT_THAT(split("llama-bpe", "I'M 12345 (x)\r\n\n y"),
              ElementsAre("I", "'M", " ", "123", "45", " (", "x", ")\r\n\n", " y"));
  EXPECT_THAT(split("llama3", "'\u017F"), ElementsAre("'\u017F"));  // long s is an s in another case
}

TEST(PretokenizerTest, Qwen2TakesOneDigit) {
  EXPECT_THAT(split("qwen2", "ab12 \n c"), ElementsAre("ab", "1", "2", " \n", " c"));
}

TEST(PretokenizerTest, DefaultCutsPunctuationFirstAndThreeDigits) {
  EXPECT_THAT(split("default", "a,+b 12345"), ElementsAre("a", ",+", "b", " ", "123", "45"));
}

TEST(PretokenizerTest, Minicpm5TakesThreeDigitsFirst) {
  EXPECT_THAT(split("minicpm5", "a 1234b"), ElementsAre("a", " ", "123", "4", "b"));
}

// U+1E4D0 (a letter) and U+1E4F0 (a digit) came with Unicode 15; U+180E stopped being a space with
// Unicode 6.3.
TEST(PretokenizerTest, KnowsUnicode16WhateverPcre2Knows) {
  EXPECT_THAT(split("gpt-2",
                    "a\U0001E4D0 \U0001E4F0"
                    "1"),
              ElementsAre("a\U0001E4D0",
                          " \U0001E4F0"
                          "1"));
  EXPECT_THAT(split("gpt-2", "a \u180E!"), ElementsAre("a", " \u180E!"));
}

TEST(PretokenizerTest, BytesThatAreNoUtf8AreWordsOfTheirOwn) {
  EXPECT_THAT(split("gpt-2",
                    "ab\xFF\xC3"
                    "cd \xE2\x82"),
              ElementsAre("ab", "\xFF\xC3", "cd", " ", "\xE2\x82"));
  EXPECT_THAT(split("smollm", "\xFF"), ElementsAre("\xFF"));
  EXPECT_THAT(split("smollm", ""), ElementsAre());
}

TEST(PretokenizerTest, WordsTogetherAreTheTextForAnyBytes) {
  std::mt19937 random(1);
  constexpr std::string_view kAlphabet = "a1 '\n\r\t.s\xC3\xA9\xE2\x80\x83\xF0\xFF";
  for (const PretokenizerRules& rules : all_pretokenizer_rules()) {
    const auto pretokenizer = Pretokenizer::create(rules);
    ASSERT_TRUE(pretokenizer);
    for (int round = 0; round < 300; ++round) {
      std::string text(random() % 40, ' ');
      for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
      std::string joined;
      for (const std::string_view word : (*pretokenizer)->split(text)) {
        EXPECT_FALSE(word.empty());
        joined += word;
      }
      ASSERT_EQ(joined, text);
    }
  }
}

// A megabyte of what backtracks most: it ends, and keeps every byte.
TEST(PretokenizerTest, LongRunsDoNotHang) {
  for (const std::string_view name : {"smollm", "llama-bpe", "default"}) {
    for (const std::string_view unit : {" ", "\u3000", "a", "'", "1", "\n ", "\xFF", ".\n"}) {
      std::string text;
      while (text.size() < 1'000'000) text += unit;
      size_t total = 0;
      for (const std::string_view word : split(name, text)) total += word.size();
      EXPECT_EQ(total, text.size()) << name << " '" << unit << "'";
    }
  }
}

TEST(PretokenizerTest, AnExpressionThatGivesUpLosesNothing) {
  const char* const stages[] = {"(?:a+a+)+c"};
  const auto pretokenizer = Pretokenizer::create({.names = {}, .stages = stages});
  ASSERT_TRUE(pretokenizer);
  const std::string text = std::string(27, 'a') + "bc";
  const Words words = (*pretokenizer)->split(text);
  EXPECT_EQ(words.front(), "a");  // the first character on its own; without the limit, all 29 together
  std::string joined;
  for (const std::string_view word : words) joined += word;
  EXPECT_EQ(joined, text);
}

TEST(PretokenizerTest, AnUnknownNameHasNoRules) { EXPECT_EQ(find_pretokenizer_rules("no-such"), nullptr); }

}  // namespace
}  // namespace hb
