#include "plan/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace hb {
namespace {

using Kind = PlanBuffer::Kind;

// A plan with one of every op, all of them sound; the numbers of buffers and weights in order of their
// creation.
class ValidateTest : public ::testing::Test {
 protected:
  ValidateTest() : bytes(65536) {
    plan.vocab_size = 10;
    plan.rope_tables = {{std::vector<double>(16, 0.5)}};
    plan.cache_layers = {{1, 32}};
    stream = plan.add_buffer("stream", Kind::kF32, 64);
    codes = plan.add_buffer("codes", Kind::kQ8, 64);
    other = plan.add_buffer("other", Kind::kF32, 64);
    key = plan.add_buffer("key", Kind::kF32, 32);
    last = plan.add_buffer("last", Kind::kF32, 64, true);
    logits = plan.add_buffer("logits", Kind::kF32, 10, true);
    short_logits = plan.add_buffer("short logits", Kind::kF32, 10);
    table = weight("table", TensorType::kQ4_0, 10, 64);
    norm = weight("norm", TensorType::kF32, 1, 64);
    square = weight("square", TensorType::kQ8_0, 64, 64);
    narrow = weight("narrow", TensorType::kQ8_0, 32, 64);
    output = weight("output", TensorType::kF16, 10, 64);
    plan.logits = logits;
    plan.ops = {EmbedOp{table, stream},
                RmsNormOp{stream, norm, other, 64, 1e-5f, stream},
                QuantiseOp{other, codes},
                MatvecOp{codes, square, other, norm, MatvecOp::Gate::kSilu, square, 0.5f, other},
                RopeOp{other, 2, 32, 0, RopeOp::Pairing::kHalves},
                CacheWriteOp{0, key, key},
                AttentionOp{0, other, stream, 2, 1, 32, 0.1f, 7, 50.0f},
                OutputRowsOp{stream, last},
                MatvecOp{last, output, logits},
                SoftcapOp{logits, 30.0f},
                ScaleOp{logits, 2.0f}};
  }

  WeightId weight(const char* name, TensorType type, uint32_t rows, uint32_t cols) {
    return plan.add_weight({name, type, rows, cols, std::span(bytes).first(rows * row_bytes(type, cols))});
  }

  // Every change alone must be refused, with a message that has the given words in it.
  void expect_refused(const char* words, const std::function<void(Plan&)>& change) {
    Plan changed = plan;
    change(changed);
    const Status status = validate(changed);
    ASSERT_FALSE(status) << words;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  }

  // The same, of the op at `index`.
  template <class OpType>
  void expect_op_refused(const char* words, size_t index, const std::function<void(OpType&)>& change) {
    expect_refused(words, [&](Plan& p) { change(std::get<OpType>(p.ops[index])); });
  }

  std::vector<uint8_t> bytes;
  Plan plan;
  BufferId stream, codes, other, key, last, logits, short_logits;
  WeightId table, norm, square, narrow, output;
};

TEST_F(ValidateTest, AcceptsASoundPlan) {
  EXPECT_TRUE(validate(plan)) << validate(plan).error().message;
  plan.logits = kNone;
  EXPECT_TRUE(validate(plan));
  EXPECT_TRUE(validate(Plan()));
}

TEST_F(ValidateTest, RefusesWeightsBuffersAndLogits) {
  expect_refused("weight 2 (square): Q8_0 of (64, 64) has 4351 bytes instead of 4352",
                 [&](Plan& p) { p.weights[square].bytes = std::span(bytes).first(4351); });
  expect_refused("weight 0 (table): (10, 48) is no shape", [&](Plan& p) { p.weights[table].cols = 48; });
  expect_refused("is no shape", [&](Plan& p) { p.weights[norm].rows = 0; });
  expect_refused("instead of", [&](Plan& p) { p.weights[square].rows = UINT32_MAX; });
  expect_refused("buffer 1 (codes): width 65", [&](Plan& p) { p.buffers[codes].width = 65; });
  expect_refused("buffer 3 (key): width 0", [&](Plan& p) { p.buffers[key].width = 0; });
  expect_refused("there is no buffer 77", [](Plan& p) { p.logits = 77; });
  expect_refused("must be F32 output rows", [&](Plan& p) { p.logits = stream; });
  expect_refused("cache layer 0", [](Plan& p) { p.cache_layers[0].head_dim = 0; });
}

TEST_F(ValidateTest, RefusesUnsoundEmbeddingsAndNorms) {
  expect_op_refused<EmbedOp>("op 0 (embed): there is no weight 99", 0, [](EmbedOp& op) { op.table = 99; });
  expect_op_refused<EmbedOp>("must be F32 of width 64", 0, [&](EmbedOp& op) { op.out = key; });
  expect_op_refused<EmbedOp>("scale is 0", 0, [](EmbedOp& op) { op.scale = 0; });
  expect_refused("has 10 rows for 11 tokens", [](Plan& p) { p.vocab_size = 11; });
  expect_op_refused<RmsNormOp>("op 1 (rmsnorm): groups of 48", 1, [](RmsNormOp& op) { op.group = 48; });
  expect_op_refused<RmsNormOp>("groups of 0", 1, [](RmsNormOp& op) { op.group = 0; });
  expect_op_refused<RmsNormOp>("'norm' is F32 of (1, 64)", 1, [](RmsNormOp& op) { op.group = 32; });
  expect_op_refused<RmsNormOp>("epsilon is 0", 1, [](RmsNormOp& op) { op.epsilon = 0; });
  expect_op_refused<RmsNormOp>("epsilon is nan", 1, [](RmsNormOp& op) { op.epsilon = NAN; });
  expect_op_refused<RmsNormOp>("rows of 'stream'", 1, [&](RmsNormOp& op) { op.out = last; });
  expect_op_refused<RmsNormOp>("must be F32", 1, [&](RmsNormOp& op) { op.in = codes; });
}

TEST_F(ValidateTest, RefusesUnsoundMatvecs) {
  expect_op_refused<QuantiseOp>("op 2 (quantise): 'stream' is not Q8", 2,
                                [&](QuantiseOp& op) { op.out = stream; });
  expect_op_refused<MatvecOp>("op 3 (matvec): 'square' is Q8_0, which", 3,
                              [&](MatvecOp& op) { op.in = stream; });
  expect_op_refused<MatvecOp>("there is no weight", 3, [](MatvecOp& op) { op.weight = kNone; });
  expect_op_refused<MatvecOp>("must be F32 of width 32", 3, [&](MatvecOp& op) { op.weight = narrow; });
  expect_op_refused<MatvecOp>("different numbers of rows", 3, [&](MatvecOp& op) { op.up = narrow; });
  expect_op_refused<MatvecOp>("must come together", 3, [](MatvecOp& op) { op.up = kNone; });
  expect_op_refused<MatvecOp>("must come together", 3, [](MatvecOp& op) { op.gate = MatvecOp::Gate::kNone; });
  expect_op_refused<MatvecOp>("must be F32, F16 or BF16", 3, [&](MatvecOp& op) { op.bias = narrow; });
  expect_op_refused<MatvecOp>("must be F32 of width 64", 3, [&](MatvecOp& op) { op.residual = key; });
  expect_op_refused<MatvecOp>("out_scale is inf", 3, [](MatvecOp& op) { op.out_scale = INFINITY; });
  expect_op_refused<MatvecOp>("rows of 'last'", 8, [&](MatvecOp& op) { op.out = short_logits; });
  expect_op_refused<MatvecOp>("has 64 columns", 8, [&](MatvecOp& op) { op.in = key; });
}

TEST_F(ValidateTest, RefusesUnsoundAttention) {
  expect_op_refused<RopeOp>("op 4 (rope): there is no rope table 1", 4,
                            [](RopeOp& op) { op.rope_table = 1; });
  expect_op_refused<RopeOp>("32 rotary dimensions for heads of 16", 4,
                            [](RopeOp& op) { op.heads = 4, op.head_dim = 16; });
  expect_op_refused<RopeOp>("must be F32 of width 96", 4, [](RopeOp& op) { op.heads = 3; });
  expect_op_refused<RopeOp>("heads of", 4, [](RopeOp& op) { op.heads = op.head_dim = UINT32_MAX; });
  expect_op_refused<CacheWriteOp>("op 5 (cache write): there is no cache layer", 5,
                                  [](CacheWriteOp& op) { op.layer = 1; });
  expect_op_refused<CacheWriteOp>("width 32", 5, [&](CacheWriteOp& op) { op.value = stream; });
  expect_op_refused<AttentionOp>("read a cache of 1 heads of 32", 6,
                                 [](AttentionOp& op) { op.kv_heads = 2; });
  expect_op_refused<AttentionOp>("0 heads of 32", 6, [](AttentionOp& op) { op.heads = 0; });
  expect_refused("1 heads cannot share 2 key-value heads", [&](Plan& p) {
    p.cache_layers[0].kv_heads = std::get<AttentionOp>(p.ops[6]).kv_heads = 2;
    std::get<CacheWriteOp>(p.ops[5]) = {0, stream, stream};
    std::get<AttentionOp>(p.ops[6]).heads = 1;
  });
  expect_op_refused<AttentionOp>("query cannot be the output", 6, [](AttentionOp& op) { op.out = op.query; });
  expect_op_refused<AttentionOp>("cap is", 6, [](AttentionOp& op) { op.softcap = -1; });
}

TEST_F(ValidateTest, RefusesUnsoundOutputs) {
  expect_op_refused<OutputRowsOp>("must hold rows of", 7, [&](OutputRowsOp& op) { op.out = other; });
  expect_op_refused<SoftcapOp>("op 9 (softcap): cap is", 9, [](SoftcapOp& op) { op.cap = NAN; });
  expect_op_refused<ScaleOp>("op 10 (scale): there is no buffer", 10, [](ScaleOp& op) { op.buffer = kNone; });
  expect_op_refused<ScaleOp>("must be F32", 10, [&](ScaleOp& op) { op.buffer = codes; });
}

}  // namespace
}  // namespace hb
