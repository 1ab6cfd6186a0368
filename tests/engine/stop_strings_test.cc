#include "engine/stop_strings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace hb {
namespace {

StopStrings make(std::vector<std::string> stops) {
  auto matcher = StopStrings::create(std::move(stops));
  EXPECT_TRUE(matcher);
  return std::move(*matcher);
}

struct Outcome {
  std::string text;
  std::optional<size_t> hit;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& o) {
  return out << '"' << o.text << "\" hit " << (o.hit ? static_cast<int>(*o.hit) : -1);
}

Outcome run(StopStrings& matcher, const std::string& text, size_t piece_bytes) {
  matcher.reset();
  Outcome outcome;
  for (size_t i = 0; i < text.size(); i += piece_bytes) {
    const auto passed = matcher.feed(std::string_view(text).substr(i, piece_bytes));
    outcome.text += passed.text;
    outcome.hit = passed.hit;
  }
  if (!outcome.hit) outcome.text += matcher.finish();
  return outcome;
}

TEST(StopStrings, PassesTextThatCannotBelongToAStop) {
  StopStrings matcher = make({"</s>"});
  EXPECT_EQ(matcher.feed("abc<").text, "abc");
  EXPECT_EQ(matcher.feed("/").text, "");
  EXPECT_EQ(matcher.feed("p>").text, "</p>");
  const auto passed = matcher.feed("x</s>y");
  EXPECT_EQ(passed.text, "x");
  EXPECT_EQ(passed.hit, 0u);
  EXPECT_EQ(matcher.feed("more").text, "");
  EXPECT_EQ(matcher.feed("more").hit, 0u);
}

TEST(StopStrings, TheFirstToEndWinsThenTheLongest) {
  StopStrings ends_first = make({"abcd", "bc"});
  EXPECT_EQ(run(ends_first, "xabcd", 1), (Outcome{"xa", 1}));
  StopStrings together = make({"c", "abc", "bc"});
  EXPECT_EQ(run(together, "xabcd", 1), (Outcome{"x", 1}));
}

TEST(StopStrings, FallsBackToAShorterPrefixOfTheSameStop) {
  StopStrings matcher = make({"aabaaa"});
  EXPECT_EQ(run(matcher, "aabaabaaa!", 1), (Outcome{"aab", 0}));
  EXPECT_EQ(run(matcher, "aabaab", 1), (Outcome{"aabaab", std::nullopt}));
}

TEST(StopStrings, FinishPassesWhatWasHeldAndForgetsIt) {
  StopStrings matcher = make({"END"});
  EXPECT_EQ(matcher.feed("the EN").text, "the ");
  EXPECT_EQ(matcher.finish(), "EN");
  EXPECT_EQ(matcher.feed("D").text, "D");
}

TEST(StopStrings, NoStopsPassEverythingAtOnce) {
  StopStrings matcher = make({});
  EXPECT_EQ(matcher.feed("anything").text, "anything");
}

TEST(StopStrings, TextStaysUtf8WhenAStopSharesALeadByte) {
  StopStrings matcher = make({"\u00e9"});
  EXPECT_EQ(matcher.feed("a\u00e8").text, "a\u00e8");
  EXPECT_EQ(matcher.feed("b\u00e9").text, "b");
}

// Looks at every prefix of the text for a stop string that ends it.
Outcome naive(const std::vector<std::string>& stops, const std::string& text) {
  for (size_t end = 1; end <= text.size(); ++end) {
    std::optional<size_t> best;
    for (size_t i = 0; i < stops.size(); ++i) {
      const bool ends = std::string_view(text).substr(0, end).ends_with(stops[i]);
      if (ends && (!best || stops[i].size() > stops[*best].size())) best = i;
    }
    if (best) return {text.substr(0, end - stops[*best].size()), best};
  }
  return {text, std::nullopt};
}

TEST(StopStrings, EqualsASearchOverTheWholeTextHoweverItIsCut) {
  uint32_t random = 1;
  const auto next = [&](uint32_t below) { return (random = random * 1664525 + 1013904223) / 65536 % below; };
  const auto word = [&](uint32_t longest) {
    std::string text(1 + next(longest), 'a');
    for (char& c : text) c = static_cast<char>('a' + next(2));
    return text;
  };
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> stops;
    for (uint32_t i = 0; i <= next(3); ++i) stops.push_back(word(6) + "b");
    StopStrings matcher = make(stops);
    const std::string text = word(24);
    for (const size_t piece : {1, 2, 5, 24}) ASSERT_EQ(run(matcher, text, piece), naive(stops, text)) << text;
  }
}

TEST(StopStrings, RefusesEmptyLongAndTooMany) {
  EXPECT_EQ(StopStrings::create({"a", ""}).error().message,
            "stop string 1 has 0 bytes; it may have 1 to 4096");
  EXPECT_FALSE(StopStrings::create({std::string(4097, 'x')}));
  EXPECT_FALSE(StopStrings::create(std::vector<std::string>(257, "x")));
}

}  // namespace
}  // namespace hb
