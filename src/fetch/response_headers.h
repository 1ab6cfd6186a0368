// The few facts of an HTTP response that a resumable download depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hb {

// Header lines are foreign text: what does not parse counts as absent.
class ResponseHeaders {
 public:
  // One raw line, CRLF included. A status line ("HTTP/…") begins a new response: redirects send several.
  void add_line(std::string_view line);

  int status() const { return status_; }  // 0 before the first status line
  bool is_success() const { return status_ == 200 || status_ == 206; }

  // What If-Range may carry: the strong ETag, else Last-Modified, else nothing.
  std::string validator() const { return etag_.empty() ? last_modified_ : etag_; }

  // Of Content-Range: the first byte's position.
  std::optional<uint64_t> range_begin() const { return range_begin_; }

  // Size of the whole file, from Content-Range or else Content-Length.
  std::optional<uint64_t> full_size_bytes() const;

 private:
  void add_content_range(std::string_view value);

  int status_ = 0;
  std::string etag_;
  std::string last_modified_;
  std::optional<uint64_t> range_begin_;
  std::optional<uint64_t> range_total_;
  std::optional<uint64_t> content_length_;
};

}  // namespace hb
