#include "support/model_layout.h"

#include <fmt/format.h>

namespace hb::testing {
namespace {

using Kind = LayoutTensor::Kind;

void add_layer(const ModelShape& shape, uint32_t layer, std::vector<LayoutTensor>& tensors) {
  const uint64_t hidden = shape.hidden, ffn = shape.ffn;
  const uint64_t q_size = uint64_t{shape.heads} * shape.head_dim;
  const uint64_t kv_size = uint64_t{shape.kv_heads} * shape.head_dim;
  const bool gemma = shape.architecture == "gemma3";
  const auto add = [&](Kind kind, const char* name, std::vector<uint64_t> dims) {
    tensors.push_back({kind, fmt::format("blk.{}.{}", layer, name), std::move(dims)});
  };
  add(Kind::kNorm, "attn_norm.weight", {hidden});
  add(Kind::kMatrix, "attn_q.weight", {hidden, q_size});
  add(Kind::kMatrix, "attn_k.weight", {hidden, kv_size});
  add(Kind::kMatrix, "attn_v.weight", {hidden, kv_size});
  if (shape.architecture == "qwen2") {
    add(Kind::kBias, "attn_q.bias", {q_size});
    add(Kind::kBias, "attn_k.bias", {kv_size});
    add(Kind::kBias, "attn_v.bias", {kv_size});
  }
  if (shape.architecture == "qwen3" || gemma) {
    add(Kind::kNorm, "attn_q_norm.weight", {shape.head_dim});
    add(Kind::kNorm, "attn_k_norm.weight", {shape.head_dim});
  }
  add(Kind::kMatrix, "attn_output.weight", {q_size, hidden});
  if (gemma) add(Kind::kNorm, "post_attention_norm.weight", {hidden});
  add(Kind::kNorm, "ffn_norm.weight", {hidden});
  add(Kind::kMatrix, "ffn_gate.weight", {hidden, ffn});
  add(Kind::kMatrix, "ffn_up.weight", {hidden, ffn});
  add(Kind::kMatrix, "ffn_down.weight", {ffn, hidden});
  if (gemma) add(Kind::kNorm, "post_ffw_norm.weight", {hidden});
}

}  // namespace

std::vector<LayoutTensor> model_tensors(const ModelShape& shape) {
  const std::vector<uint64_t> table = {shape.hidden, shape.vocab};
  std::vector<LayoutTensor> tensors = {{Kind::kEmbedding, "token_embd.weight", table}};
  for (uint32_t layer = 0; layer < shape.layers; ++layer) add_layer(shape, layer, tensors);
  tensors.push_back({Kind::kNorm, "output_norm.weight", {shape.hidden}});
  if (!shape.tied) tensors.push_back({Kind::kOutput, "output.weight", table});
  return tensors;
}

void set_sizes(const ModelShape& shape, GgufHeader& header) {
  const auto set = [&](const char* key, auto value) {
    header.set(fmt::format("{}.{}", shape.architecture, key), value);
  };
  header.set("general.architecture", shape.architecture);
  set("block_count", shape.layers);
  set("context_length", shape.context);
  set("embedding_length", shape.hidden);
  set("feed_forward_length", shape.ffn);
  set("attention.head_count", shape.heads);
  set("attention.head_count_kv", shape.kv_heads);
  set("attention.key_length", shape.head_dim);
  set("attention.value_length", shape.head_dim);
  set("attention.layer_norm_rms_epsilon", 1e-5f);
  set("rope.dimension_count", shape.head_dim);
  set("rope.freq_base", shape.rope_base);
}

}  // namespace hb::testing
