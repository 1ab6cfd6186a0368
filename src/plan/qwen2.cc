// Qwen 2 and 2.5: llama, with biases on queries, keys and values (matvec() finds them in the file).
#include "plan/architectures.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  b.norm("x", "attn_norm", "norm");
  b.matvec("norm", "attn_q", "q");
  b.matvec("norm", "attn_k", "k");
  b.matvec("norm", "attn_v", "v");
  b.rope("q");
  b.rope("k");
  b.attention();
  b.matvec("attn", "attn_output", "x", {.residual = "x"});

  b.norm("x", "ffn_norm", "norm");
  b.gated("norm", {"ffn_gate", "ffn_up"}, "ffn", MatvecOp::Gate::kSilu);
  b.matvec("ffn", "ffn_down", "x", {.residual = "x"});
}

}  // namespace

void build_qwen2(PlanBuilder& b) {
  b.embed();
  b.each_layer(add_layer);
  b.norm("x", "output_norm", "norm");
  b.logits("norm");
}

}  // namespace hb
