// Qwen 3 (dense): llama, with a norm on each head of queries and keys before they rotate.
#include "plan/architectures.h"
#include "plan/decoder_steps.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  add_queries_keys_values(b);
  b.head_norm("q", "attn_q_norm");
  b.head_norm("k", "attn_k_norm");
  add_attention(b);
  b.matvec("attn", "attn_output", "x", {.residual = "x"});
  add_feed_forward(b, MatvecOp::Gate::kSilu);
  b.matvec("ffn", "ffn_down", "x", {.residual = "x"});
}

}  // namespace

void build_qwen3(PlanBuilder& b) { add_decoder(b, add_layer); }

}  // namespace hb
