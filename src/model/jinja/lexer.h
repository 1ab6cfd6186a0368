// Template source into tokens, with Jinja's rules for white space: trim_blocks and lstrip_blocks are on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hb::jinja {

enum class TokenKind : uint8_t {
  kText,        // text between tags
  kPrintBegin,  // {{
  kPrintEnd,    // }}
  kBlockBegin,  // {%
  kBlockEnd,    // %}
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t line = 0;  // of its first character, from 1
  std::string text;   // of a string: after its escapes were resolved
};

// The last token is kEnd.
// ERRORS: kBadFile with the line; kUnsupported for a source beyond kMaxSourceBytes.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace hb::jinja
