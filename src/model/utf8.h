// One step through bytes that should be UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace hb {

enum class Utf8Kind {
  kValid,    // one code point
  kInvalid,  // bytes that no continuation can turn into a code point
  kPartial,  // the beginning of a code point, cut off by the end of the text
};

struct Utf8Unit {
  size_t size_bytes = 0;
  Utf8Kind kind = Utf8Kind::kValid;
};

// What `text` begins with. Invalid bytes come in the "maximal subparts" of Unicode's chapter 3.9: replacing
// each by one U+FFFD gives what browsers and Python give. Surrogates, overlong forms and values past U+10FFFF
// are invalid. REQUIRES: text is not empty.
Utf8Unit utf8_next(std::string_view text);

}  // namespace hb
