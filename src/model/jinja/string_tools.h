// Pieces that string filters and string methods share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

// str.strip(chars) on the asked sides; `chars` is missing or None for white space.
Result<std::string> strip(std::string_view s, const Value& chars, bool left, bool right);

// str.replace(from, to, count); a negative count means all.
Result<std::string> replace(Interpreter& in, std::string_view s, std::string_view from, std::string_view to,
                            int64_t count);

enum class Align : uint8_t { kLeft, kRight, kCenter };
// str.ljust, rjust and center.
Result<std::string> pad(Interpreter& in, const std::string& s, const Value& width, const Value& fill,
                        Align align);

}  // namespace hb::jinja
