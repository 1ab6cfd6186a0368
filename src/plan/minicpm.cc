// MiniCPM 1 and 2: llama, with what a branch adds to the residual stream scaled down, and scaled embeddings
// and logits.
#include "plan/architectures.h"
#include "plan/decoder_steps.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  const MatvecOptions scaled_down = {.out_scale = b.hparams().residual_scale, .residual = "x"};
  add_queries_keys_values(b);
  add_attention(b);
  b.matvec("attn", "attn_output", "x", scaled_down);
  add_feed_forward(b, MatvecOp::Gate::kSilu);
  b.matvec("ffn", "ffn_down", "x", scaled_down);
}

}  // namespace

void build_minicpm(PlanBuilder& b) { add_decoder(b, add_layer); }

}  // namespace hb
