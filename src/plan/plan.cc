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

}  // namespace hb
