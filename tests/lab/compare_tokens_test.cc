#include "lab/compare_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_files.h"

namespace hb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CompareTokens : public TempFiles {
 protected:
  Result<TokenReport> compare(std::string_view a, std::string_view b,
                              TokenCompareOptions options = {}) const {
    return compare_token_files(write("a", a), write("b", b), options);
  }
};

TEST(ParseTokenIds, ReadsOneIdALine) {
  EXPECT_THAT(*parse_token_ids("0\n2147483647\n007\n", "x"), ElementsAre(0, 2147483647, 7));
  EXPECT_THAT(*parse_token_ids("1\r\n2\r\n", "x"), ElementsAre(1, 2));
  EXPECT_THAT(*parse_token_ids("5", "x"), ElementsAre(5));
}

TEST(ParseTokenIds, RejectsWhatIsNotAListOfIds) {
  const struct {
    std::string text;
    const char* why;
  } cases[] = {
      {"", "x: no ids"},
      {"\n", "line 1: '': the line is empty"},
      {"1\n\n2\n", "line 2: '': the line is empty"},
      {"1\n2\n\n", "line 3: '': the line is empty"},
      {"1\n...\n9\n", "line 2: '...': ids were elided"},
      {"1\n\u2026\n", "ids were elided"},
      {"[1, 2, ..., 9]\n", "ids were elided"},
      {"1\n-2\n", "line 2: '-2': an id is not negative"},
      {"1\nabc\n", "line 2: 'abc': one decimal id"},
      {"1 2\n", "one decimal id"},
      {"1,\n", "one decimal id"},
      {" 1\n", "one decimal id"},
      {"1 \n", "one decimal id"},
      {"+1\n", "one decimal id"},
      {"1.0\n", "one decimal id"},
      {"0x10\n", "one decimal id"},
      {"1\r", "one decimal id"},
      {"2147483648\n", "an id is below 2^31"},
      {"99999999999999999999999\n", "an id is below 2^31"},
      {std::string("1\0\n", 3), "'1?': one decimal id"},
      {std::string(100, 'z'), "zzz...': one decimal id"},
  };
  for (const auto& c : cases) {
    const auto ids = parse_token_ids(c.text, "x");
    ASSERT_FALSE(ids) << c.text;
    EXPECT_EQ(ids.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(ids.error().message, HasSubstr(c.why));
  }
}

TEST_F(CompareTokens, TheSame) {
  const auto report = compare("1\n2\n3\n", "1\n2\n3");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->exact());
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report->match_ratio(), 1.0);
  EXPECT_TRUE(to_json(*report)["divergence_step"].is_null());
  EXPECT_THAT(to_text(*report), HasSubstr("the same"));
}

TEST_F(CompareTokens, TheFirstDivergenceIsZeroBased) {
  const auto report = compare("1\n2\n3\n4\n", "1\n9\n3\n8\n");
  EXPECT_EQ(exit_code(report), 1);
  const auto json = to_json(*report);
  EXPECT_EQ(json["exact"], false);
  EXPECT_EQ(json["divergence_step"], 1);
  EXPECT_EQ(json["id_a"], 2);
  EXPECT_EQ(json["id_b"], 9);
  EXPECT_EQ(json["matched"], 2);
  EXPECT_EQ(json["match_ratio"], 0.5);
  EXPECT_THAT(to_text(*report), HasSubstr("step 1: 2 against 9"));
}

TEST_F(CompareTokens, AtTheFirstIdIsStepZero) { EXPECT_EQ(compare("1\n", "2\n")->divergence_step, 0u); }

TEST_F(CompareTokens, ADifferenceOfLengthIsADifference) {
  const auto report = compare("1\n2\n3\n4\n", "1\n2\n");
  EXPECT_EQ(exit_code(report), 1);
  const auto json = to_json(*report);
  EXPECT_EQ(json["count_a"], 4);
  EXPECT_EQ(json["count_b"], 2);
  EXPECT_EQ(json["compared"], 2);
  EXPECT_EQ(json["divergence_step"], 2);
  EXPECT_EQ(json["id_a"], 3);
  EXPECT_TRUE(json["id_b"].is_null());
  EXPECT_EQ(json["match_ratio"], 0.5);
  EXPECT_THAT(to_text(*report), HasSubstr("step 2: 3 against the end"));
}

TEST_F(CompareTokens, AnotherNumberThanExpectedIsUnusable) {
  for (const char* wrong : {"1\n2\n", "1\n2\n3\n4\n"}) {
    for (const bool first : {true, false}) {
      const auto report =
          compare(first ? wrong : "1\n2\n3\n", first ? "1\n2\n3\n" : wrong, {.expected_count = 3});
      ASSERT_FALSE(report);
      EXPECT_EQ(exit_code(report), 2);
      EXPECT_THAT(report.error().message, HasSubstr("ids, and 3 were expected"));
    }
  }
  EXPECT_EQ(exit_code(compare("1\n2\n3\n", "1\n2\n3\n", {.expected_count = 3})), 0);
}

TEST_F(CompareTokens, UnusableInputIsTwoWhicheverFileItIs) {
  EXPECT_EQ(exit_code(compare("", "1\n")), 2);
  EXPECT_EQ(exit_code(compare("1\n", "1\n...\n")), 2);
  EXPECT_EQ(exit_code(compare_token_files(write("a", "1\n"), "/nonexistent/ids", {})), 2);
}

}  // namespace
}  // namespace hb
