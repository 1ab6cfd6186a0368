// What the layers of most decoders have in common, in the words of plan_builder.h. An architecture that
// differs inside one of these writes out its own steps.
#pragma once

#include "plan/plan_builder.h"

namespace hb {

// The whole model: embeddings, layers, norm, logits.
void add_decoder(PlanBuilder& b, void (*add_layer)(PlanBuilder&));

// q, k and v from the norm of x; with biases, if the file has them.
void add_queries_keys_values(PlanBuilder& b);

// attn from q, k and v, after q and k have rotated.
void add_attention(PlanBuilder& b);

// ffn = activation(gate) * up, from the norm of x.
void add_feed_forward(PlanBuilder& b, MatvecOp::Gate activation);

}  // namespace hb
