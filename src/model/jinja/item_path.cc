#include "model/jinja/item_path.h"

#include <algorithm>

#include "model/jinja/interpreter.h"
#include "model/jinja/numbers.h"

namespace hb::jinja {
namespace {

Value path_part(std::string_view text) {
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto index = digits ? parse_integer(text, 10) : std::nullopt;
  return index ? Value::integer(*index) : Value::string(std::string(text));
}

}  // namespace

Result<ItemPath> ItemPath::parse(const Value& attribute) {
  ItemPath path;
  if (attribute.is(Kind::kNone) || attribute.missing()) return path;
  if (!attribute.is(Kind::kString)) {
    path.parts_.push_back(attribute);
    return path;
  }
  std::string_view rest = attribute.as_string();
  for (size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    path.parts_.push_back(path_part(rest.substr(0, dot)));
    rest.remove_prefix(dot + 1);
  }
  path.parts_.push_back(path_part(rest));
  return path;
}

Result<Value> ItemPath::get(Interpreter& in, const Value& item, const Value& fallback) const {
  Value at = item;
  for (const Value& part : parts_) {
    HB_ASSIGN(at, in.item(at, part));
    if (at.is(Kind::kUndefined) && !fallback.missing() && !fallback.is(Kind::kNone)) at = fallback;
  }
  return at;
}

}  // namespace hb::jinja
