// The state of one {% for %}: its source, one element of look-ahead where asked for, and what `loop` answers.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/jinja/value.h"

namespace hb::jinja {

class Interpreter;

struct LoopState {
  std::function<Result<std::optional<Value>>()> pull;  // the next element that passes the loop's test
  std::optional<int64_t> known_length;                 // of a source with a length and a loop without a test
  std::deque<Value> ahead;                             // pulled, not yet reached
  Value current;
  Value previous;
  int64_t index0 = -1;
  std::vector<Value> last_changed;  // arguments of loop.changed()
  bool changed_called = false;

  // Moves to the next element; false at the end.
  Result<bool> advance();
  // The element after the current one, if there is one.
  Result<const Value*> peek();
  Result<int64_t> length();
};

// loop.index and so on. Nothing if `loop` has no such attribute.
Result<std::optional<Value>> loop_attribute(LoopState& loop, std::string_view name);

}  // namespace hb::jinja
