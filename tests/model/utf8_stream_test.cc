#include "model/utf8_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hb {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string stream(std::string_view text, size_t piece_bytes, Utf8Stream::Invalid invalid) {
  Utf8Stream stream(invalid);
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece_bytes) out += stream.push(text.substr(at, piece_bytes));
  return out + stream.finish();
}

TEST(Utf8StreamTest, HoldsBackUntilTheCharacterIsWhole) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("a\xF0\x9F"), "a");
  EXPECT_EQ(stream.push("\x98"), "");
  EXPECT_EQ(stream.push("\x80"
                        "b\xC3"),
            "\xF0\x9F\x98\x80"
            "b");
  EXPECT_EQ(stream.finish(), kReplacement);
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.push("c"), "c");
}

// The expected texts are what Python's bytes.decode("utf-8", "replace") gives.
TEST(Utf8StreamTest, ReplacesEachMaximalInvalidPart) {
  const std::string r(kReplacement);
  const std::pair<std::string, std::string> cases[] = {
      {"a\x80z", "a" + r + "z"},                              // a lone continuation
      {"\xC0\xAF", r + r},                                    // overlong
      {"\xE0\x9F\x80", r + r + r},                            // overlong
      {"\xED\xA0\x80", r + r + r},                            // a surrogate
      {"\xF0\x9F\x98z", r + "z"},                             // cut off by another character
      {"\xF4\x90\x80\x80", r + r + r + r},                    // past U+10FFFF
      {"\xF8\x88\x80\x80\x80", r + r + r + r + r},            // five bytes
      {"\xE2\x82\xE2\x82\xAC", r + "\xE2\x82\xAC"},           // cut off, then whole
      {"\xF1\x80\xE1\x80\xC2\x62\x80", r + r + r + "b" + r},  // Unicode's own example
  };
  for (const auto& [in, out] : cases) {
    for (size_t piece_bytes = 1; piece_bytes <= in.size(); ++piece_bytes) {
      EXPECT_EQ(stream(in, piece_bytes, Utf8Stream::Invalid::kReplace), out) << piece_bytes;
      EXPECT_EQ(stream(in, piece_bytes, Utf8Stream::Invalid::kKeep), in) << piece_bytes;
    }
  }
}

TEST(Utf8StreamTest, PassesTheEdgesOfEveryLength) {
  const std::string edges =
      std::string(1, '\0') +
      "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
      "\xF4\x8F\xBF\xBF";
  for (size_t piece_bytes = 1; piece_bytes <= edges.size(); ++piece_bytes) {
    EXPECT_EQ(stream(edges, piece_bytes, Utf8Stream::Invalid::kReplace), edges);
  }
}

}  // namespace
}  // namespace hb
