#include "backend/weight_reader.h"

#include <fmt/format.h>

#include "quant/weight_block.h"

namespace hb {

std::vector<WeightReader> weight_readers(const Plan& plan) {
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

Status load_vector(const PlanWeight& weight, std::span<float> values) {
  if (const Status status = check_row(weight.type, weight.bytes.data(), weight.cols); !status)
    return std::unexpected(status.error().within(fmt::format("tensor '{}'", weight.name)));
  for (uint32_t i = 0; i < weight.cols; ++i) values[i] = load_float(weight.type, weight.bytes.data(), i);
  return {};
}

}  // namespace hb
