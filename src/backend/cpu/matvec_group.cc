#include "backend/cpu/matvec_group.h"

#include <algorithm>

namespace hb::cpu {

MatvecGroup matvec_group(std::span<const Op> ops) {
  MatvecGroup group;
  while (group.count < std::min(ops.size(), kMaxMatvecGroup)) {
    const auto* op = std::get_if<MatvecOp>(&ops[group.count]);
    if (op == nullptr || (group.count > 0 && op->in != group.ops[0].in)) break;
    const auto touches = [op](const MatvecOp& other) {
      return other.out == op->residual || other.out == op->out || other.residual == op->out;
    };
    if (std::any_of(group.ops, group.ops + group.count, touches)) break;
    group.ops[group.count++] = *op;
  }
  return group;
}

}  // namespace hb::cpu
