// Python's view of text on top of UTF-8: code points, white space, case, printability.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hb::jinja {

// Code points of UTF-8 bytes. A byte that begins no valid sequence becomes U+FFFD.
std::u32string to_code_points(std::string_view utf8);
std::string to_utf8(std::u32string_view code_points);
void append_utf8(std::string& out, char32_t code_point);

// Number of code points, counted as to_code_points() would.
size_t count_code_points(std::string_view utf8);
bool is_ascii(std::string_view bytes);

// Bytes of the sequence that begins at `at`, 1 for an invalid byte; `code_point` receives what it encodes.
size_t decode_one(std::string_view utf8, size_t at, char32_t& code_point);

// As str.isspace(), str.isprintable() and identifiers of Python see one code point.
bool is_space(char32_t c);
bool is_printable(char32_t c);
bool is_word(char32_t c);  // \w: alphanumeric or underscore
bool is_alpha(char32_t c);
bool is_digit(char32_t c);  // decimal digits only
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_title(char32_t c);

std::u32string to_upper(std::u32string_view s);
std::u32string to_lower(std::u32string_view s);
std::u32string to_title(std::u32string_view s);        // str.title(): every run of letters
std::u32string to_capitalized(std::u32string_view s);  // str.capitalize()

std::string_view strip_right(std::string_view s);  // white space only
std::string_view strip_left(std::string_view s);

// str.splitlines() without the line ends.
std::vector<std::string> split_lines(std::string_view s, bool keep_ends);

}  // namespace hb::jinja
