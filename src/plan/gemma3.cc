// Gemma 3 (text): norms on heads like Qwen 3, norms on both ends of a branch, GELU, and sliding layers
// between those that see everything.
#include "plan/architectures.h"
#include "plan/decoder_steps.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  add_queries_keys_values(b);
  b.head_norm("q", "attn_q_norm");
  b.head_norm("k", "attn_k_norm");
  add_attention(b);
  b.matvec("attn", "attn_output", "branch");
  b.norm("branch", "post_attention_norm", "x", "x");

  add_feed_forward(b, MatvecOp::Gate::kGelu);
  b.matvec("ffn", "ffn_down", "branch");
  b.norm("branch", "post_ffw_norm", "x", "x");
}

}  // namespace

void build_gemma3(PlanBuilder& b) {
  b.add_buffer("branch", b.hparams().hidden);
  add_decoder(b, add_layer);
}

}  // namespace hb
