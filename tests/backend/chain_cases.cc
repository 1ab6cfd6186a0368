#include <fmt/format.h>

#include <algorithm>

#include "backend/op_cases.h"
#include "base/exact_double.h"

namespace hb::testing {
namespace {

// A model of a few thousand weights with what the real architectures differ in.
struct Style {
  const char* name;
  TensorType embedding, attention, feed_forward, output;
  RopeOp::Pairing pairing;
  MatvecOp::Gate gate;
  bool bias;        // of the query, key and value products
  bool head_norm;   // of queries and keys
  bool post_norm;   // norms after attention and feed-forward, with the residual
  uint32_t window;  // of the first layer
  float softcap;    // of scores and logits
};
constexpr Style kStyles[] = {
    {"llama", TensorType::kQ4_1, TensorType::kQ4_0, TensorType::kQ4_1, TensorType::kQ4_1,
     RopeOp::Pairing::kAdjacent, MatvecOp::Gate::kSilu, false, false, false, 0, 0.0f},
    {"qwen", TensorType::kQ6_K, TensorType::kQ4_K, TensorType::kQ5_K, TensorType::kQ6_K,
     RopeOp::Pairing::kHalves, MatvecOp::Gate::kSilu, true, true, false, 0, 0.0f},
    {"gemma", TensorType::kQ8_0, TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0,
     RopeOp::Pairing::kHalves, MatvecOp::Gate::kGelu, false, true, true, 5, 30.0f},
    {"float", TensorType::kF16, TensorType::kF16, TensorType::kBF16, TensorType::kF32,
     RopeOp::Pairing::kAdjacent, MatvecOp::Gate::kSilu, true, false, false, 0, 0.0f},
    {"small", TensorType::kQ3_K, TensorType::kIQ4_NL, TensorType::kQ2_K, TensorType::kQ3_K,
     RopeOp::Pairing::kHalves, MatvecOp::Gate::kGelu, false, false, false, 3, 0.0f},
};

constexpr uint32_t kWidth = 256, kHeads = 4, kKvHeads = 2, kHeadDim = 64, kInner = 512,
                   kKvWidth = kKvHeads * kHeadDim;

class ModelBuilder {
 public:
  ModelBuilder(const Style& style, std::string name, uint64_t seed)
      : style_(style), b_(std::move(name), seed) {
    RopeTable table;
    for (uint32_t i = 0; i < kHeadDim / 2; ++i)
      table.frequencies.push_back(exact::pow(1e4, -2.0 * i / kHeadDim));
    b_.plan().rope_tables = {table};
    b_.plan().cache_layers = {{kKvHeads, kHeadDim}, {kKvHeads, kHeadDim}};
    stream_ = b_.buffer("stream", kWidth);
    b_.op(EmbedOp{b_.weight("embedding", style.embedding, 31, kWidth), stream_, 2.0f});
    for (uint32_t layer = 0; layer < 2; ++layer) {
      attention(layer);
      feed_forward();
    }
    head();
  }

  CaseBuilder& builder() { return b_; }

 private:
  WeightId norm_weight(uint32_t width) { return b_.weight("norm", TensorType::kF32, 1, width); }

  BufferId norm(BufferId in) {
    const BufferId out = b_.buffer("normal", kWidth);
    b_.op(RmsNormOp{in, norm_weight(kWidth), out, kWidth, 1e-5f});
    return out;
  }

  // `in` as the input of a matvec with weights of `type`.
  BufferId operand(BufferId in, uint32_t width, TensorType type) {
    if (std::ranges::find(kFloatTypes, type) != std::end(kFloatTypes)) return in;
    const BufferId out = b_.buffer("codes", width, PlanBuffer::Kind::kQ8);
    b_.op(QuantiseOp{in, out});
    return out;
  }

  BufferId project(BufferId in, const char* name, uint32_t rows) {
    MatvecOp op = {in, b_.weight(name, style_.attention, rows, kWidth), b_.buffer(name, rows)};
    if (style_.bias) op.bias = b_.weight("bias", TensorType::kF32, 1, rows);
    b_.op(op);
    return op.out;
  }

  void rotate(BufferId buffer, uint32_t heads) {
    if (style_.head_norm) b_.op(RmsNormOp{buffer, norm_weight(kHeadDim), buffer, kHeadDim, 1e-6f});
    b_.op(RopeOp{buffer, heads, kHeadDim, 0, style_.pairing});
  }

  // stream = stream + W in, or stream = stream + norm(W in).
  void add_product(BufferId in, uint32_t width, TensorType type) {
    MatvecOp op = {operand(in, width, type), b_.weight("down", type, kWidth, width), stream_};
    if (!style_.post_norm) {
      op.residual = stream_;
      op.out_scale = 0.5f;
      b_.op(op);
      return;
    }
    op.out = b_.buffer("product", kWidth);
    b_.op(op);
    b_.op(RmsNormOp{op.out, norm_weight(kWidth), stream_, kWidth, 1e-6f, stream_});
  }

  void attention(uint32_t layer) {
    const BufferId in = operand(norm(stream_), kWidth, style_.attention);
    const BufferId query = project(in, "query", kWidth), key = project(in, "key", kKvWidth);
    const BufferId value = project(in, "value", kKvWidth), out = b_.buffer("attended", kWidth);
    rotate(query, kHeads);
    rotate(key, kKvHeads);
    b_.op(CacheWriteOp{layer, key, value});
    AttentionOp op = {layer, query, out, kHeads, kKvHeads, kHeadDim, 0.125f};
    op.window = layer == 0 ? style_.window : 0;
    op.softcap = style_.softcap;
    b_.op(op);
    add_product(out, kWidth, style_.attention);
  }

  void feed_forward() {
    MatvecOp op = {operand(norm(stream_), kWidth, style_.feed_forward),
                   b_.weight("gate", style_.feed_forward, kInner, kWidth), b_.buffer("inner", kInner)};
    op.gate = style_.gate;
    op.up = b_.weight("up", style_.feed_forward, kInner, kWidth);
    b_.op(op);
    add_product(op.out, kInner, style_.feed_forward);
  }

  void head() {
    const BufferId last = b_.output_buffer("last", kWidth), normal = b_.output_buffer("last normal", kWidth);
    b_.op(OutputRowsOp{stream_, last});
    b_.op(RmsNormOp{last, norm_weight(kWidth), normal, kWidth, 1e-5f});
    BufferId in = normal;
    if (style_.output != TensorType::kF32) {
      in = b_.plan().add_buffer("last codes", PlanBuffer::Kind::kQ8, kWidth, true);
      b_.op(QuantiseOp{normal, in});
    }
    const BufferId logits = b_.output_buffer("logits", 31);
    b_.op(MatvecOp{in, b_.weight("output", style_.output, 31, kWidth), logits});
    if (style_.softcap != 0.0f) b_.op(SoftcapOp{logits, style_.softcap});
    b_.plan().logits = logits;
  }

  const Style& style_;
  CaseBuilder b_;
  BufferId stream_ = kNone;
};

}  // namespace

std::vector<OpCase> chain_cases() {
  std::vector<OpCase> cases;
  for (const Style& style : kStyles) {
    ModelBuilder model(style, fmt::format("model {}", style.name), cases.size());
    uint32_t position = 0;
    for (const uint32_t count : {5u, 1u, 1u, 9u, 2u}) {
      model.builder().step(count, position, count > 4 ? 2 : 1);
      position += count;
    }
    cases.push_back(model.builder().build());
  }
  return cases;
}

}  // namespace hb::testing
