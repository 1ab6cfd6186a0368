// Gemma 3 (text): norms on heads like Qwen 3, norms on both ends of a branch, GELU, and sliding layers
// between those that see everything.
#include "plan/architectures.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  b.norm("x", "attn_norm", "norm");
  b.matvec("norm", "attn_q", "q");
  b.matvec("norm", "attn_k", "k");
  b.matvec("norm", "attn_v", "v");
  b.head_norm("q", "attn_q_norm");
  b.head_norm("k", "attn_k_norm");
  b.rope("q");
  b.rope("k");
  b.attention();
  b.matvec("attn", "attn_output", "branch");
  b.norm("branch", "post_attention_norm", "x", "x");

  b.norm("x", "ffn_norm", "norm");
  b.gated("norm", {"ffn_gate", "ffn_up"}, "ffn", MatvecOp::Gate::kGelu);
  b.matvec("ffn", "ffn_down", "branch");
  b.norm("branch", "post_ffw_norm", "x", "x");
}

}  // namespace

void build_gemma3(PlanBuilder& b) {
  b.add_buffer("branch", b.hparams().hidden);
  b.embed();
  b.each_layer(add_layer);
  b.norm("x", "output_norm", "norm");
  b.logits("norm");
}

}  // namespace hb
