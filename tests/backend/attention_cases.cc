#include <fmt/format.h>

#include "backend/op_cases.h"
#include "base/half.h"

namespace hb::testing {
namespace {

struct Heads {
  uint32_t heads;
  uint32_t kv_heads;
};
constexpr Heads kHeads[] = {{1, 1}, {4, 2}, {9, 3}, {6, 1}, {3, 3}, {8, 2}, {2, 1}};
constexpr uint32_t kHeadDims[] = {64, 80, 96, 128, 256, 64, 5};
constexpr uint32_t kWindows[] = {0, 0, 5, 256, 0, 300, 1, 0, 17};
constexpr Activations kQueries[] = {Activations::kPlain,  Activations::kHuge, Activations::kPlain,
                                    Activations::kSparse, Activations::kTiny, Activations::kSpread,
                                    Activations::kPlain};
// Around the edges of lanes (16) and spans (256).
constexpr uint32_t kPositions[] = {0,   1,   14,  15,  16,  31,  250, 251, 252, 253, 254, 255, 256,
                                   257, 258, 259, 260, 261, 262, 511, 512, 513, 700, 767, 768};
constexpr uint32_t kBatches[] = {1, 2, 1, 3, 5, 1, 9, 1};

OpCase attention_case(uint32_t i, uint32_t position, uint32_t batch) {
  const Heads heads = cycle(kHeads, i + i / 7);
  AttentionOp op = {};
  op.layer = 1;
  op.heads = heads.heads;
  op.kv_heads = heads.kv_heads;
  op.head_dim = cycle(kHeadDims, i);
  op.scale = i % 11 == 0 ? 0x1p-40f : 0.125f;
  op.window = cycle(kWindows, i + i / 8);
  op.softcap = i % 3 == 1 ? 50.0f : 0.0f;
  const Activations data = cycle(kQueries, i + i / 5);
  CaseBuilder builder(
      fmt::format("attention {}/{} heads of {} position {} batch {} window {} softcap {} data {}", op.heads,
                  op.kv_heads, op.head_dim, position, batch, op.window, op.softcap, static_cast<int>(data)),
      i);
  builder.plan().cache_layers = {{1, 3}, {op.kv_heads, op.head_dim}, {2, 4}};
  const uint32_t width = op.heads * op.head_dim;
  op.query = builder.input("query", width, data);
  op.out = builder.buffer("out", width);
  builder.op(op);
  builder.fill_cache(position + batch);
  builder.step(batch, position);
  return builder.build();
}

// Scores 0, -1/2, -1 … -40 with values of 0 where the weight is large, so that the result is made of the
// weights on both sides of the bound of -34. Other elements come out below 2^-44, or as a zero of either
// sign.
OpCase small_weights_case() {
  constexpr uint32_t kCount = 81, kDim = 64;
  CaseBuilder builder("attention with weights about e^-34", 1);
  builder.plan().cache_layers = {{1, kDim}};
  const BufferId query = builder.buffer("query", kDim), out = builder.buffer("out", kDim);
  builder.op(AttentionOp{0, query, out, 1, 1, kDim, 1.0f});
  builder.fill_cache(kCount);
  builder.step(1, kCount - 1);
  OpCase result = builder.build();
  std::vector<float> first(kDim);
  first[0] = 1.0f;
  result.steps[0].inputs.emplace_back(query, first);
  constexpr float kValues[] = {60000.0f, -0x1p-24f, -0.0f};
  for (uint32_t t = 0; t < kCount; ++t) {
    for (uint32_t d = 0; d < kDim; ++d) {
      result.cache[t * kDim + d] = f32_to_f16(d == 0 ? -0.5f * static_cast<float>(t) : 0.0f);
      result.cache[(kCount + t) * kDim + d] = f32_to_f16(t < 60 ? 0.0f : cycle(kValues, d));
    }
  }
  return result;
}

}  // namespace

std::vector<OpCase> attention_cases() {
  std::vector<OpCase> cases;
  uint32_t i = 0;
  for (const uint32_t position : kPositions) {
    for (uint32_t repeat = 0; repeat < 3; ++repeat, ++i)
      cases.push_back(attention_case(i, position, cycle(kBatches, i)));
  }
  cases.push_back(attention_case(3, 240, 33));  // one batch across a span's edge
  cases.push_back(attention_case(5, 0, 33));
  cases.push_back(small_weights_case());
  return cases;
}

}  // namespace hb::testing
