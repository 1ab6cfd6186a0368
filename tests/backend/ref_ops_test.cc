// What each op means, on values whose answer is known without the reference.
#include "backend/ref/ref_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/op_case.h"
#include "backend/ref/ref_backend.h"
#include "base/exact_math.h"
#include "base/half.h"

namespace hb::ref {
namespace {

// A row of F32 weights. OWNS its bytes.
struct FloatWeight {
  explicit FloatWeight(const std::vector<float>& values) : bytes(4 * values.size()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    weight = {"weight", TensorType::kF32, 1, static_cast<uint32_t>(values.size()), bytes};
  }
  std::vector<uint8_t> bytes;
  PlanWeight weight;
};

TEST(RefOps, RmsNormWorksByGroupAndAddsTheResidual) {
  const FloatWeight weight({1.0f, 2.0f});
  const RmsNormOp op = {.in = 0, .weight = 0, .out = 0, .group = 2, .epsilon = 0x1p-40f};
  std::vector<float> row = {3.0f, 3.0f, -5.0f, 5.0f};
  const std::vector<float> residual = {10.0f, 10.0f, 10.0f, 10.0f};
  rms_norm_row(op, weight.weight, row, residual.data(), row);
  const std::vector<float> expected = {11.0f, 12.0f, 9.0f, 12.0f};
  for (size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(row[i], expected[i], 2e-6f) << i;
}

TEST(RefOps, EpilogueGoesBiasGateScaleResidual) {
  using Gate = MatvecOp::Gate;
  EXPECT_EQ(finish({Gate::kNone, 0.5f, 4.0f, 100.0f}, 1.0f, 7.0f), 106.0f);
  EXPECT_EQ(finish({Gate::kSilu, 0.5f, 4.0f, 100.0f}, 1.0f, 7.0f), exact::silu(1.5f) * 7.0f * 4.0f + 100.0f);
  EXPECT_EQ(finish({Gate::kGelu, 0.5f, 4.0f, 100.0f}, 1.0f, 7.0f), exact::gelu(1.5f) * 7.0f * 4.0f + 100.0f);
}

TEST(RefOps, StoredValuesAreSettled) {
  const Epilogue plain = {MatvecOp::Gate::kNone, 0.0f, 1.0f, 0.0f};
  EXPECT_EQ(exact::bits_of(finish(plain, -0x1.fffffep-45f, 0.0f)), 0u);
  EXPECT_EQ(exact::bits_of(finish(plain, -0.0f, 0.0f)), 0u);
  EXPECT_EQ(finish(plain, -0x1p-44f, 0.0f), -0x1p-44f);
  std::vector<float> row = {0x1p-20f, -0x1p-3f};
  scale_row(0x1p-40f, row);
  EXPECT_EQ(row, (std::vector<float>{0.0f, -0x1p-43f}));
}

TEST(RefOps, RopePairsAndLeavesTheRest) {
  const std::vector<float> cos = {0.0f, 1.0f}, sin = {1.0f, 0.0f};  // the first pair turns by 90 degrees
  RopeOp op = {
      .buffer = 0, .heads = 2, .head_dim = 5, .rope_table = 0, .pairing = RopeOp::Pairing::kAdjacent};
  std::vector<float> row = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  rope_row(op, cos, sin, row);
  EXPECT_EQ(row, (std::vector<float>{-2, 1, 3, 4, 5, -7, 6, 8, 9, 10}));
  row = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  op.pairing = RopeOp::Pairing::kHalves;
  rope_row(op, cos, sin, row);
  EXPECT_EQ(row, (std::vector<float>{-3, 2, 1, 4, 5, -8, 7, 6, 9, 10}));
}

TEST(RefOps, SoftcapBoundsAndKeepsTheSmall) {
  std::vector<float> row = {1000.0f, -1000.0f, 0.01f, 0.0f};
  softcap_row(30.0f, row);
  EXPECT_NEAR(row[0], 30.0f, 1e-5f);
  EXPECT_NEAR(row[1], -30.0f, 1e-5f);
  EXPECT_NEAR(row[2], 0.01f, 1e-8f);
  EXPECT_EQ(row[3], 0.0f);
}

// One op over a cache in which position t of KV head g holds the value 10 g + t everywhere, and keys of 0 but
// for position 1, whose key is 1.
std::vector<float> attend(float scale, uint32_t position, uint32_t window = 0, float softcap = 0.0f) {
  testing::CaseBuilder builder("attention", 1);
  builder.plan().cache_layers = {{2, 4}};
  const BufferId query = builder.buffer("query", 16), result = builder.buffer("out", 16);
  const AttentionOp op = {0, query, result, 4, 2, 4, scale, window, softcap};
  builder.op(op);
  builder.step(1, position);
  const testing::OpCase op_case = builder.build();
  const auto executable = make_ref_backend()->compile(op_case.plan, {}).value();
  const auto context = executable->new_context(op_case.options).value();
  std::vector<uint16_t> cache;
  for (uint32_t t = 0; t <= position; ++t) cache.insert(cache.end(), 8, f32_to_f16(t == 1 ? 1.0f : 0.0f));
  for (uint32_t t = 0; t <= position; ++t) {
    for (uint32_t i = 0; i < 8; ++i) cache.push_back(f32_to_f16(10.0f * (i / 4) + t));
  }
  EXPECT_TRUE(context->write_cache(0, position + 1, cache));
  EXPECT_TRUE(context->write_buffer(op.query, std::vector<float>(16, 1.0f)));
  EXPECT_TRUE(context->forward({op_case.steps[0].tokens, position, 0}));
  return context->read_buffer(op.out).value();
}

TEST(RefOps, AttentionWeighsPositionsAndSharesHeads) {
  const std::vector<float> out = attend(0.25f, 2);  // scores 0, 1, 0
  const double e = std::exp(1.0), mean = (e * 1 + 2) / (e + 2);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_NEAR(out[i], 10.0 * (i / 8) + mean, 3e-6) << i;
}

TEST(RefOps, AttentionIgnoresWhatIsFarBelowTheMaximum) {
  for (const float value : attend(10.0f, 0)) EXPECT_LT(value, 10.00001f);
  const std::vector<float> out = attend(10.0f, 2);  // scores 0, 40, 0: only position 1 counts
  EXPECT_EQ(out[0], exact::rcp(1.0f));
}

TEST(RefOps, AttentionWindowAndSoftcap) {
  EXPECT_NEAR(attend(0.25f, 2, 1)[0], 2.0f, 1e-6f);
  EXPECT_NEAR(attend(0.25f, 2, 2)[0], (std::exp(1.0) + 2) / (std::exp(1.0) + 1), 1e-6f);
  const double capped = std::exp(0.5 * std::tanh(2.0));
  EXPECT_NEAR(attend(0.25f, 2, 0, 0.5f)[0], (capped + 2) / (capped + 2), 1e-6f);
  EXPECT_NEAR(attend(0.25f, 2, 2, 0.5f)[0], (capped + 2) / (capped + 1), 1e-6f);
}

}  // namespace
}  // namespace hb::ref
