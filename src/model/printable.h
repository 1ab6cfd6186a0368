// Foreign text, made fit for a message and a terminal.
#pragma once

#include <string>
#include <string_view>

namespace hb {

// True if `text` is UTF-8 without control characters (NUL included).
bool is_printable_utf8(std::string_view text);

// True if `text` is UTF-8 without NUL: what a GGUF string value should be.
bool is_text_utf8(std::string_view text);

// `text` with everything but printable ASCII as \xNN, cut to about 80 characters.
std::string printable(std::string_view text);

}  // namespace hb
