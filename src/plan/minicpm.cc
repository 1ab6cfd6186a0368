// MiniCPM 1 and 2: llama, with what a branch adds to the residual stream scaled down, and scaled embeddings
// and logits.
#include "plan/architectures.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  const MatvecOptions scaled_down = {.out_scale = b.hparams().residual_scale, .residual = "x"};
  b.norm("x", "attn_norm", "norm");
  b.matvec("norm", "attn_q", "q");
  b.matvec("norm", "attn_k", "k");
  b.matvec("norm", "attn_v", "v");
  b.rope("q");
  b.rope("k");
  b.attention();
  b.matvec("attn", "attn_output", "x", scaled_down);

  b.norm("x", "ffn_norm", "norm");
  b.gated("norm", {"ffn_gate", "ffn_up"}, "ffn", MatvecOp::Gate::kSilu);
  b.matvec("ffn", "ffn_down", "x", scaled_down);
}

}  // namespace

void build_minicpm(PlanBuilder& b) {
  b.embed();
  b.each_layer(add_layer);
  b.norm("x", "output_norm", "norm");
  b.logits("norm");
}

}  // namespace hb
