#include "fetch/response_headers.h"

#include <gtest/gtest.h>

namespace hb {
namespace {

ResponseHeaders parse(std::initializer_list<std::string_view> lines) {
  ResponseHeaders headers;
  for (const std::string_view line : lines) headers.add_line(line);
  return headers;
}

TEST(ResponseHeaders, WholeFile) {
  const auto headers = parse({"HTTP/1.1 200 OK\r\n", "content-LENGTH:  123 \r\n", "ETag: \"x\"\r\n", "\r\n"});
  EXPECT_EQ(headers.status(), 200);
  EXPECT_TRUE(headers.is_success());
  EXPECT_EQ(headers.full_size_bytes(), 123u);
  EXPECT_EQ(headers.validator(), "\"x\"");
  EXPECT_FALSE(headers.range_begin());
}

TEST(ResponseHeaders, PartOfAFile) {
  const auto headers =
      parse({"HTTP/2 206 \r\n", "Content-Length: 900\r\n", "Content-Range: bytes 100-999/1000\r\n"});
  EXPECT_EQ(headers.range_begin(), 100u);
  EXPECT_EQ(headers.full_size_bytes(), 1000u);
}

TEST(ResponseHeaders, UnknownTotals) {
  EXPECT_FALSE(
      parse({"HTTP/1.1 206 x", "Content-Length: 9", "Content-Range: bytes 1-9/*"}).full_size_bytes());
  EXPECT_EQ(parse({"HTTP/1.1 416 x", "Content-Range: bytes */77"}).full_size_bytes(), 77u);
  EXPECT_FALSE(parse({"HTTP/1.1 416 x", "Content-Length: 5"}).full_size_bytes());
}

TEST(ResponseHeaders, AWeakEtagIsNoValidatorButADateIs) {
  EXPECT_EQ(parse({"HTTP/1.1 200 OK", "ETag: W/\"x\""}).validator(), "");
  EXPECT_EQ(parse({"HTTP/1.1 200 OK", "ETag: W/\"x\"", "Last-Modified: then"}).validator(), "then");
  EXPECT_EQ(parse({"HTTP/1.1 200 OK", "ETag: \"x\"", "Last-Modified: then"}).validator(), "\"x\"");
}

TEST(ResponseHeaders, ARedirectLeavesNothingBehind) {
  const auto headers = parse({"HTTP/1.1 302 Found", "ETag: \"a\"", "Content-Length: 5", "HTTP/1.1 200 OK"});
  EXPECT_EQ(headers.status(), 200);
  EXPECT_EQ(headers.validator(), "");
  EXPECT_FALSE(headers.full_size_bytes());
}

TEST(ResponseHeaders, NonsenseCountsAsAbsent) {
  const auto headers =
      parse({"HTTP/", "HTTP/1.1 abc", "Content-Length: -5", "Content-Range: bytes", "Content-Range: bytes -/",
             "Content-Length: 99999999999999999999999", ":", "", "no colon"});
  EXPECT_EQ(headers.status(), 0);
  EXPECT_FALSE(headers.full_size_bytes());
  EXPECT_FALSE(headers.range_begin());
}

}  // namespace
}  // namespace hb
