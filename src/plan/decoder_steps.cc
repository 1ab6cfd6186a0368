#include "plan/decoder_steps.h"

namespace hb {

void add_decoder(PlanBuilder& b, void (*add_layer)(PlanBuilder&)) {
  b.embed();
  b.each_layer(add_layer);
  b.norm("x", "output_norm", "norm");
  b.logits("norm");
}

void add_queries_keys_values(PlanBuilder& b) {
  b.norm("x", "attn_norm", "norm");
  b.matvec("norm", "attn_q", "q");
  b.matvec("norm", "attn_k", "k");
  b.matvec("norm", "attn_v", "v");
}

void add_attention(PlanBuilder& b) {
  b.rope("q");
  b.rope("k");
  b.attention();
}

void add_feed_forward(PlanBuilder& b, MatvecOp::Gate activation) {
  b.norm("x", "ffn_norm", "norm");
  b.gated("norm", {"ffn_gate", "ffn_up"}, "ffn", activation);
}

}  // namespace hb
