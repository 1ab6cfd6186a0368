// Token bytes in, whole characters out: tokens may end in the middle of a code point.
#pragma once

#include <string>
#include <string_view>

namespace hb {

class Utf8Stream {
 public:
  enum class Invalid {
    kReplace,  // invalid bytes become U+FFFD: the output is always UTF-8
    kKeep,     // invalid bytes are passed on: the output is the input, only cut at other places
  };

  explicit Utf8Stream(Invalid invalid = Invalid::kReplace) : invalid_(invalid) {}

  // Everything that is certain after `piece`. Bytes that may still become a code point (at most 3) are held
  // back.
  std::string push(std::string_view piece);

  // What is still held back, as invalid bytes. The stream is then empty and may be used again.
  std::string finish();

 private:
  void emit_invalid(std::string_view bytes, std::string* out) const;

  Invalid invalid_;
  std::string held_;
};

}  // namespace hb
