// Llama 1 to 3, and all that keep its shape: SmolLM2, Mistral, MiniCPM5; Qwen 2 and 2.5, whose files have
// biases for queries, keys and values.
#include "plan/architectures.h"
#include "plan/decoder_steps.h"

namespace hb {
namespace {

void add_layer(PlanBuilder& b) {
  add_queries_keys_values(b);
  add_attention(b);
  b.matvec("attn", "attn_output", "x", {.residual = "x"});
  add_feed_forward(b, MatvecOp::Gate::kSilu);
  b.matvec("ffn", "ffn_down", "x", {.residual = "x"});
}

}  // namespace

void build_llama(PlanBuilder& b) { add_decoder(b, add_layer); }

}  // namespace hb
