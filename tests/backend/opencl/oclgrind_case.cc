// A small model on the driver that the environment gives: oclgrind_test.sh runs it under Oclgrind.
#include <cstdio>

#include "backend/op_cases.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/ref/ref_backend.h"

namespace {

using namespace hb;
using namespace hb::testing;

// Two tiles of rows (one partial), two spans of positions, every kind of op.
OpCase small_case() {
  CaseBuilder builder("every op", 1);
  builder.plan().vocab_size = 40;
  builder.plan().cache_layers.push_back({1, 18});
  builder.plan().rope_tables.push_back({{1.0, 0.5}, 1.0});
  const BufferId x = builder.buffer("x", 64), codes = builder.buffer("codes", 64, PlanBuffer::Kind::kQ8);
  const BufferId q = builder.buffer("q", 36), k = builder.buffer("k", 18), v = builder.buffer("v", 18);
  const BufferId attended = builder.buffer("attended", 36), wide = builder.buffer("wide", 64);
  const WeightId table = builder.weight("table", TensorType::kQ4_0, 40, 64);
  builder.op(EmbedOp{table, x});
  builder.op(RmsNormOp{x, builder.weight("norm", TensorType::kF32, 1, 64), x, 64, 0x1p-16f});
  builder.op(QuantiseOp{x, codes});
  builder.op(MatvecOp{codes, builder.weight("wq", TensorType::kQ4_1, 36, 64), q});
  builder.op(MatvecOp{codes, builder.weight("wk", TensorType::kQ5_0, 18, 64), k});
  builder.op(MatvecOp{codes, builder.weight("wv", TensorType::kQ8_0, 18, 64), v});
  builder.op(RopeOp{q, 2, 18, 0, RopeOp::Pairing::kAdjacent});
  builder.op(CacheWriteOp{0, k, v});
  builder.op(AttentionOp{0, q, attended, 2, 1, 18, 0.25f, 0, 30.0f});
  builder.op(MatvecOp{attended, builder.weight("wo", TensorType::kF16, 64, 36), wide, kNone,
                      MatvecOp::Gate::kNone, kNone, 1.0f, x});
  const BufferId last = builder.output_buffer("last", 64);
  builder.op(OutputRowsOp{wide, last});
  builder.op(ScaleOp{last, 0.5f});
  builder.op(SoftcapOp{last, 30.0f});
  builder.fill_cache(250);
  builder.step(9, 250, 2);
  builder.step(1, 259, 1);
  return builder.build();
}

}  // namespace

int main() {
  const auto backend = make_opencl_backend({});
  if (!backend) {
    std::fprintf(stderr, "%s\n", backend.error().message.c_str());
    return 1;
  }
  const auto result = equals_reference(**backend, small_case());
  std::fprintf(stderr, "%s: %s\n", (*backend)->description().c_str(), result ? "equal" : result.message());
  return result ? 0 : 1;
}
