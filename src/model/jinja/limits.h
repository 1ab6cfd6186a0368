// What a template may cost: templates come from model files, which are foreign.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace hb::jinja {

struct Limits {
  uint64_t steps = 20'000'000;             // statements, expressions and loop turns
  size_t value_bytes = size_t{16} << 20;   // one string or list
  size_t memory_bytes = size_t{1} << 30;   // all strings and containers made during one rendering
  size_t output_bytes = size_t{16} << 20;  // the answer
  uint32_t depth = 400;                    // statements, expressions and macro calls inside each other
};

inline constexpr uint32_t kMaxValueDepth = 100;     // containers inside containers
inline constexpr uint32_t kMaxSyntaxDepth = 100;    // parentheses, operators and blocks inside each other
inline constexpr size_t kMaxSourceBytes = 1 << 18;  // of a template
inline constexpr size_t kMaxNames = 1024;           // different words in the tags of a template
inline constexpr int64_t kMaxRange = 100'000;       // elements of range(), as in Jinja's sandbox

// The running account of one rendering.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}

  const Limits& limits() const { return limits_; }

  Status step() {
    if (++steps_ <= limits_.steps) [[likely]]
      return {};
    return over("steps", limits_.steps);
  }

  // `bytes` more will be allocated for one value. Call it before.
  Status allocate(size_t bytes) {
    if (bytes > limits_.value_bytes) return over("bytes in a value", limits_.value_bytes);
    memory_bytes_ += bytes;
    if (memory_bytes_ > limits_.memory_bytes) return over("bytes of memory", limits_.memory_bytes);
    return {};
  }

  Status output(size_t total_bytes) const {
    if (total_bytes <= limits_.output_bytes) return {};
    return over("bytes of output", limits_.output_bytes);
  }

  Status enter() {
    if (++depth_ <= limits_.depth) return {};
    return over("levels of nesting", limits_.depth);
  }
  void leave() { --depth_; }

 private:
  static std::unexpected<Error> over(const char* what, uint64_t limit) {
    return fail(ErrorCode::kUnsupported, fmt::format("it needs more than the limit of {} {}", limit, what));
  }

  const Limits& limits_;
  uint64_t steps_ = 0;
  size_t memory_bytes_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace hb::jinja
