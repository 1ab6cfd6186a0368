#include "model/utf8_stream.h"

#include <utility>

#include "model/utf8.h"

namespace hb {

std::string Utf8Stream::push(std::string_view piece) {
  const std::string text = std::exchange(held_, {}).append(piece);
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const Utf8Unit unit = utf8_next(rest);
    const std::string_view bytes = rest.substr(0, unit.size_bytes);
    if (unit.kind == Utf8Kind::kPartial) {
      held_ = bytes;
    } else if (unit.kind == Utf8Kind::kInvalid) {
      emit_invalid(bytes, &out);
    } else {
      out += bytes;
    }
    rest.remove_prefix(unit.size_bytes);
  }
  return out;
}

std::string Utf8Stream::finish() {
  std::string out;
  if (!held_.empty()) emit_invalid(std::exchange(held_, {}), &out);
  return out;
}

void Utf8Stream::emit_invalid(std::string_view bytes, std::string* out) const {
  *out += invalid_ == Invalid::kKeep ? bytes : std::string_view("\xEF\xBF\xBD");
}

}  // namespace hb
