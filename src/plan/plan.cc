#include "plan/plan.h"

#include "base/check.h"
#include "base/exact_double.h"
#include "base/exact_math.h"

namespace hb {

BufferId Plan::add_buffer(std::string name, PlanBuffer::Kind kind, uint32_t width, bool output_rows) {
  HB_CHECK(kind == PlanBuffer::Kind::kF32 || width % 32 == 0);
  buffers.push_back({std::move(name), kind, width, output_rows});
  return static_cast<BufferId>(buffers.size() - 1);
}

WeightId Plan::add_weight(PlanWeight weight) {
  weights.push_back(std::move(weight));
  return static_cast<WeightId>(weights.size() - 1);
}

RopeRows rope_rows(const RopeTable& table, uint32_t first, uint32_t count) {
  const size_t pairs = table.frequencies.size();
  RopeRows rows{std::vector<float>(count * pairs), std::vector<float>(count * pairs)};
  for (uint32_t p = 0; p < count; ++p) {
    for (size_t i = 0; i < pairs; ++i) {
      const exact::SinCos angle = exact::sincos((first + p) * table.frequencies[i]);
      rows.cos[p * pairs + i] = exact::settle(static_cast<float>(angle.cos * table.magnitude));
      rows.sin[p * pairs + i] = exact::settle(static_cast<float>(angle.sin * table.magnitude));
    }
  }
  return rows;
}

namespace {

// Marks the weights that an op reads whole.
void mark_whole(const Op& op, std::vector<bool>& whole) {
  if (const auto* norm = std::get_if<RmsNormOp>(&op)) whole[norm->weight] = true;
  const auto* matvec = std::get_if<MatvecOp>(&op);
  if (matvec == nullptr) return;
  for (const WeightId id : {matvec->weight, matvec->up, matvec->bias}) {
    if (id != kNone) whole[id] = true;
  }
}

}  // namespace

uint64_t weight_bytes_per_token(const Plan& plan) {
  std::vector<bool> whole(plan.weights.size(), false);
  for (const Op& op : plan.ops) mark_whole(op, whole);
  uint64_t bytes = 0;
  for (WeightId id = 0; id < plan.weights.size(); ++id) {
    const PlanWeight& weight = plan.weights[id];
    bytes += whole[id] ? weight.bytes.size() : weight.bytes.size() / weight.rows;
  }
  return bytes;
}

}  // namespace hb
