// Which matvecs of a plan run together.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.h"

namespace hb::cpu {

inline constexpr size_t kMaxMatvecGroup = 8;

struct MatvecGroup {
  MatvecOp ops[kMaxMatvecGroup];
  size_t count = 0;

  operator std::span<const MatvecOp>() const { return {ops, count}; }
};

// The matvec ops[0] and those right behind it that read the same input and neither read nor write what
// another of them writes: their tiles may be computed in any order. REQUIRES: ops[0] is a matvec.
MatvecGroup matvec_group(std::span<const Op> ops);

}  // namespace hb::cpu
