// Which kind of op reads a weight: what a backend tells in Executable::kernel_choices().
#pragma once

#include <vector>

#include "plan/plan.h"

namespace hb {

enum class WeightReader { kNone, kEmbed, kNorm, kBias, kMatvec };

// Of each weight of the plan, in its order. An embedding table that is also the output matrix is the
// matvec's.
inline std::vector<WeightReader> weight_readers(const Plan& plan) {
  std::vector<WeightReader> readers(plan.weights.size(), WeightReader::kNone);
  const auto read_by = [&](WeightId weight, WeightReader reader) {
    if (weight != kNone && readers[weight] < reader) readers[weight] = reader;
  };
  for (const Op& op : plan.ops) {
    if (const auto* embed = std::get_if<EmbedOp>(&op)) read_by(embed->table, WeightReader::kEmbed);
    if (const auto* norm = std::get_if<RmsNormOp>(&op)) read_by(norm->weight, WeightReader::kNorm);
    const auto* matvec = std::get_if<MatvecOp>(&op);
    if (matvec == nullptr) continue;
    read_by(matvec->weight, WeightReader::kMatvec);
    read_by(matvec->up, WeightReader::kMatvec);
    read_by(matvec->bias, WeightReader::kBias);
  }
  return readers;
}

}  // namespace hb
