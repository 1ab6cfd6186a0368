#include "model/jinja/loop.h"

namespace hb::jinja {

Result<bool> LoopState::advance() {
  previous = std::move(current);
  current = Value();
  if (ahead.empty()) {
    HB_ASSIGN(auto next, pull());
    if (!next) return false;
    current = std::move(*next);
  } else {
    current = std::move(ahead.front());
    ahead.pop_front();
  }
  ++index0;
  return true;
}

Result<const Value*> LoopState::peek() {
  if (ahead.empty()) {
    HB_ASSIGN(auto next, pull());
    if (!next) return nullptr;
    ahead.push_back(std::move(*next));
  }
  return &ahead.front();
}

Result<int64_t> LoopState::length() {
  if (known_length) return *known_length;
  while (true) {
    HB_ASSIGN(auto next, pull());
    if (!next) break;
    ahead.push_back(std::move(*next));
  }
  known_length = index0 + 1 + static_cast<int64_t>(ahead.size());
  return *known_length;
}

namespace {

using Getter = Result<Value> (*)(LoopState&);

Result<Value> from_length(LoopState& loop, int64_t subtract) {
  HB_ASSIGN(const int64_t length, loop.length());
  return Value::integer(length - subtract);
}

Result<Value> next_item(LoopState& loop) {
  HB_ASSIGN(const Value* next, loop.peek());
  return next == nullptr ? Value::undefined("there is no next item") : *next;
}

Result<Value> is_last(LoopState& loop) {
  HB_ASSIGN(const Value* next, loop.peek());
  return Value::boolean(next == nullptr);
}

constexpr std::pair<std::string_view, Getter> kAttributes[] = {
    {"index", [](LoopState& l) -> Result<Value> { return Value::integer(l.index0 + 1); }},
    {"index0", [](LoopState& l) -> Result<Value> { return Value::integer(l.index0); }},
    {"revindex", [](LoopState& l) { return from_length(l, l.index0); }},
    {"revindex0", [](LoopState& l) { return from_length(l, l.index0 + 1); }},
    {"first", [](LoopState& l) -> Result<Value> { return Value::boolean(l.index0 == 0); }},
    {"last", is_last},
    {"length", [](LoopState& l) { return from_length(l, 0); }},
    {"depth", [](LoopState&) -> Result<Value> { return Value::integer(1); }},
    {"depth0", [](LoopState&) -> Result<Value> { return Value::integer(0); }},
    {"previtem",
     [](LoopState& l) -> Result<Value> {
       return l.index0 == 0 ? Value::undefined("there is no previous item") : l.previous;
     }},
    {"nextitem", next_item},
};

}  // namespace

Result<std::optional<Value>> loop_attribute(LoopState& loop, std::string_view name) {
  for (const auto& [candidate, get] : kAttributes) {
    if (candidate != name) continue;
    HB_ASSIGN(Value value, get(loop));
    return value;
  }
  return std::nullopt;
}

}  // namespace hb::jinja
