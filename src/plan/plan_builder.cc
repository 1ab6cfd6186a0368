#include "plan/plan_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "plan/rope_frequencies.h"
#include "quant/weight_block.h"

namespace hb {
namespace {

// In the order that plans print: (rows, columns). GGUF has the columns first.
std::string shape_text(std::span<const uint64_t> dims) {
  std::string text;
  for (size_t i = dims.size(); i-- > 0;) text += fmt::format("{}{}", text.empty() ? "" : ", ", dims[i]);
  return fmt::format("({})", text);
}

}  // namespace

PlanBuilder::PlanBuilder(const GgufFile& file, const Hyperparameters& hparams)
    : file_(file), hparams_(hparams) {
  plan_.architecture = architecture_name(hparams.architecture);
  plan_.vocab_size = hparams.vocab;
  plan_.max_positions = hparams.context;
  add_buffer("x", hparams.hidden);
  add_buffer("norm", hparams.hidden);
  add_buffer("q", hparams.heads * hparams.head_dim);
  add_buffer("k", hparams.kv_heads * hparams.head_dim);
  add_buffer("v", hparams.kv_heads * hparams.head_dim);
  add_buffer("attn", hparams.heads * hparams.head_dim);
  add_buffer("ffn", hparams.ffn);
  add_buffer("logits", hparams.vocab);
}

void PlanBuilder::add_buffer(std::string_view name, uint32_t width) {
  const bool added = buffers_.emplace(name, Buffer{width}).second;
  HB_CHECK(added);
}

void PlanBuilder::each_layer(void (*add_layer)(PlanBuilder&)) {
  for (uint32_t layer = 0; layer < hparams_.layers && !error_; ++layer) {
    layer_ = layer;
    plan_.cache_layers.push_back({hparams_.kv_heads, hparams_.head_dim});
    add_layer(*this);
  }
  layer_.reset();
}

void PlanBuilder::embed() {
  const WeightId table = matrix("token_embd", hparams_.vocab, width("x"));
  if (error_) return;
  plan_.ops.push_back(EmbedOp{table, write("x"), hparams_.embedding_scale});
}

void PlanBuilder::norm(std::string_view in, std::string_view weight, std::string_view out,
                       std::string_view residual) {
  HB_CHECK_EQ(width(in), width(out));
  const WeightId scale = vector(tensor_name(weight, "weight"), width(in));
  if (error_) return;
  const BufferId input = read(in);
  const BufferId added = read_optional(residual);
  plan_.ops.push_back(RmsNormOp{input, scale, write(out), width(in), hparams_.norm_eps, added});
}

void PlanBuilder::head_norm(std::string_view buffer, std::string_view weight) {
  const WeightId scale = vector(tensor_name(weight, "weight"), hparams_.head_dim);
  if (error_) return;
  const BufferId input = read(buffer);
  plan_.ops.push_back(RmsNormOp{input, scale, write(buffer), hparams_.head_dim, hparams_.norm_eps});
}

void PlanBuilder::matvec(std::string_view in, std::string_view weight, std::string_view out,
                         MatvecOptions options) {
  const WeightId matrix_id = matrix(weight, width(out), width(in));
  const WeightId bias = bias_of(weight, width(out));
  if (error_) return;
  MatvecOp op{.in = read_as(in, plan_.weights[matrix_id].type), .weight = matrix_id, .out = kNone};
  op.bias = bias;
  op.out_scale = options.out_scale;
  op.residual = read_optional(options.residual);
  op.out = write(out);
  plan_.ops.push_back(op);
}

void PlanBuilder::gated(std::string_view in, GatedWeights weights, std::string_view out,
                        MatvecOp::Gate activation) {
  const WeightId gate = matrix(weights.gate, width(out), width(in));
  const WeightId up = matrix(weights.up, width(out), width(in));
  for (const std::string_view weight : {weights.gate, weights.up}) {
    const std::string bias = tensor_name(weight, "bias");
    if (file_.find_tensor(bias) == nullptr) continue;
    fail_with({ErrorCode::kUnsupported,
               fmt::format("tensor '{}': gated layers with a bias are not supported", bias)});
  }
  if (error_) return;
  const TensorType gate_type = plan_.weights[gate].type;
  const TensorType up_type = plan_.weights[up].type;
  if (is_quantised(gate_type) != is_quantised(up_type)) {
    return fail_with({ErrorCode::kUnsupported,
                      fmt::format("tensors '{}' and '{}' are {} and {}: both must be quantised, or neither",
                                  plan_.weights[gate].name, plan_.weights[up].name,
                                  tensor_type_name(gate_type), tensor_type_name(up_type))});
  }
  MatvecOp op{.in = read_as(in, gate_type), .weight = gate, .out = write(out)};
  op.gate = activation;
  op.up = up;
  plan_.ops.push_back(op);
}

void PlanBuilder::rope(std::string_view buffer) {
  const uint32_t table = rope_table();
  if (error_) return;
  RopeOp op{.buffer = read(buffer),
            .heads = width(buffer) / hparams_.head_dim,
            .head_dim = hparams_.head_dim,
            .rope_table = table,
            .pairing = hparams_.rope_pairing == RopePairing::kHalves ? RopeOp::Pairing::kHalves
                                                                     : RopeOp::Pairing::kAdjacent};
  write(buffer);
  plan_.ops.push_back(op);
}

void PlanBuilder::attention() {
  HB_CHECK(layer_.has_value());
  if (error_) return;
  plan_.ops.push_back(CacheWriteOp{*layer_, read("k"), read("v")});
  AttentionOp op{.layer = *layer_,
                 .query = read("q"),
                 .out = write("attn"),
                 .heads = hparams_.heads,
                 .kv_heads = hparams_.kv_heads,
                 .head_dim = hparams_.head_dim,
                 .scale = hparams_.attention_scale};
  op.window = slides() ? hparams_.sliding_window : 0;
  op.softcap = hparams_.attention_soft_cap;
  plan_.ops.push_back(op);
  if (in_last_layer()) keep_output_rows({"attn", "x"});
}

void PlanBuilder::logits(std::string_view in) {
  matvec(in, hparams_.tied_output ? "token_embd" : "output", "logits", {.out_scale = hparams_.logit_scale});
  if (error_) return;
  plan_.logits = read("logits");
  plan_.buffers[plan_.logits].name = "logits";  // the one buffer that never holds rows of the batch
  if (hparams_.logit_soft_cap > 0) plan_.ops.push_back(SoftcapOp{plan_.logits, hparams_.logit_soft_cap});
}

Result<Plan> PlanBuilder::finish() {
  if (error_) return std::unexpected(std::move(*error_));
  return std::move(plan_);
}

void PlanBuilder::fail_with(Error error) {
  if (!error_) error_ = std::move(error);
}

std::string PlanBuilder::tensor_name(std::string_view weight, std::string_view suffix) const {
  return layer_ ? fmt::format("blk.{}.{}.{}", *layer_, weight, suffix) : fmt::format("{}.{}", weight, suffix);
}

// Buffers.

PlanBuilder::Buffer& PlanBuilder::find(std::string_view name) {
  const auto found = buffers_.find(name);
  HB_CHECK(found != buffers_.end());
  return found->second;
}

BufferId PlanBuilder::read(std::string_view name) {
  const BufferId id = find(name).f32;
  HB_CHECK(id != kNone);  // an architecture reads only what it has written
  return id;
}

BufferId PlanBuilder::read_as(std::string_view name, TensorType weight_type) {
  const BufferId f32 = read(name);
  if (!is_quantised(weight_type)) return f32;
  Buffer& buffer = find(name);
  if (buffer.q8_current) return buffer.q8;
  if (buffer.q8 == kNone)
    buffer.q8 = new_buffer(fmt::format("{}_q8", name), PlanBuffer::Kind::kQ8, buffer.width);
  plan_.ops.push_back(QuantiseOp{f32, buffer.q8});
  buffer.q8_current = true;
  return buffer.q8;
}

BufferId PlanBuilder::write(std::string_view name) {
  Buffer& buffer = find(name);
  if (buffer.f32 == kNone) buffer.f32 = new_buffer(std::string(name), PlanBuffer::Kind::kF32, buffer.width);
  buffer.q8_current = false;
  return buffer.f32;
}

BufferId PlanBuilder::new_buffer(std::string name, PlanBuffer::Kind kind, uint32_t width) {
  if (output_rows_) name += "_out";
  return plan_.add_buffer(std::move(name), kind, width, output_rows_);
}

// From here on every name means a new buffer of output rows; `names` go on with their contents.
void PlanBuilder::keep_output_rows(std::initializer_list<std::string_view> names) {
  const auto batch_rows = buffers_;
  output_rows_ = true;
  for (auto& [name, buffer] : buffers_) buffer = Buffer{buffer.width};
  for (const std::string_view name : names) {
    plan_.ops.push_back(OutputRowsOp{batch_rows.find(name)->second.f32, write(name)});
  }
}

// Weights.

WeightId PlanBuilder::matrix(std::string_view weight, uint32_t rows, uint32_t cols) {
  return add_weight(tensor_name(weight, "weight"), rows, cols, 2);
}

WeightId PlanBuilder::vector(const std::string& name, uint32_t size) {
  const WeightId id = add_weight(name, 1, size, 1);
  if (error_ || !is_quantised(plan_.weights[id].type)) return id;
  fail_with(
      {ErrorCode::kUnsupported, fmt::format("tensor '{}' is {}; F32, F16 or BF16 was expected of a vector",
                                            name, tensor_type_name(plan_.weights[id].type))});
  return kNone;
}

WeightId PlanBuilder::bias_of(std::string_view weight, uint32_t size) {
  const std::string name = tensor_name(weight, "bias");
  return file_.find_tensor(name) == nullptr ? kNone : vector(name, size);
}

WeightId PlanBuilder::add_weight(const std::string& name, uint32_t rows, uint32_t cols, size_t dim_count) {
  if (error_) return kNone;
  if (const auto known = weights_.find(name); known != weights_.end()) return known->second;
  const uint64_t expected_dims[] = {cols, rows};
  const std::span expected(expected_dims, dim_count);
  const GgufTensor* tensor = file_.find_tensor(name);
  if (tensor == nullptr) {
    fail_with({ErrorCode::kNotFound, fmt::format("tensor '{}' is missing; {} models have it, of shape {}",
                                                 name, plan_.architecture, shape_text(expected))});
    return kNone;
  }
  if (!std::ranges::equal(tensor->dims, expected)) {
    fail_with({ErrorCode::kBadFile, fmt::format("tensor '{}' has shape {}; {} was expected", name,
                                                shape_text(tensor->dims), shape_text(expected))});
    return kNone;
  }
  const WeightId id = plan_.add_weight({name, tensor->type, rows, cols, tensor->bytes});
  weights_.emplace(name, id);
  return id;
}

// Rotary tables.

uint32_t PlanBuilder::rope_table() {
  HB_CHECK(layer_.has_value());
  uint32_t& index = rope_tables_[slides()];
  if (error_ || index != kNone) return index;
  Result<RopeTable> table = make_table();
  if (!table) {
    fail_with(std::move(table).error());
    return kNone;
  }
  index = static_cast<uint32_t>(plan_.rope_tables.size());
  plan_.rope_tables.push_back(std::move(*table));
  return index;
}

Result<RopeTable> PlanBuilder::make_table() const {
  std::vector<float> factors;
  if (hparams_.rope_scaling.kind == RopeScalingKind::kFrequencyFactors) {
    HB_ASSIGN(factors, read_rope_factors(file_, hparams_.rope_dims / 2));
  }
  return make_rope_table(hparams_, slides(), factors);
}

}  // namespace hb
