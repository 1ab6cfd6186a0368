// The numbers that shape a model, read from its metadata and checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/gguf.h"

namespace hb {

enum class Architecture { kLlama, kMiniCpm, kQwen2, kQwen3, kGemma3 };

// GGUF's name: "llama", "minicpm", "qwen2", "qwen3", "gemma3".
const char* architecture_name(Architecture architecture);

// Which elements of a head rotate together.
enum class RopePairing {
  kAdjacent,  // (2i, 2i + 1): llama, minicpm
  kHalves,    // (i, i + rope_dims / 2): qwen2, qwen3, gemma3
};

enum class RopeScalingKind {
  kNone,
  kLinear,            // angles divided by `factor`
  kYarn,              // low frequencies divided by `factor`, high ones kept, a ramp between
  kFrequencyFactors,  // each frequency divided by its element of tensor rope_freqs.weight (Llama 3.1 on)
};

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::kNone;
  float factor = 1.0f;            // linear and yarn
  uint32_t original_context = 0;  // yarn: the context the model was trained with before scaling
  float extrapolation = 1.0f;     // yarn: weight of the unscaled frequencies in the ramp
  float attention_factor = 1.0f;  // yarn: multiplies cos and sin, beside yarn's own 1 + 0.1 ln(factor)
  float beta_fast = 32.0f;        // yarn: rotations over the original context where the ramp begins
  float beta_slow = 1.0f;         // and where it ends
};

struct Hyperparameters {
  Architecture architecture = Architecture::kLlama;
  uint32_t layers = 0;
  uint32_t hidden = 0;  // elements of the residual stream
  uint32_t ffn = 0;     // elements of the feed-forward layer
  uint32_t heads = 0;   // query heads, a multiple of kv_heads
  uint32_t kv_heads = 0;
  uint32_t head_dim = 0;     // elements of a query, key and value head; even
  uint32_t context = 0;      // positions the model was trained for
  uint32_t vocab = 0;        // tokens
  bool tied_output = false;  // no output.weight: the logits use token_embd.weight

  float norm_eps = 0;            // of every RMS norm
  float attention_scale = 0;     // the query's dot product with a key is multiplied by this
  float attention_soft_cap = 0;  // c > 0: scores become c tanh(score / c); 0: none
  float logit_soft_cap = 0;      // the same for logits

  RopePairing rope_pairing = RopePairing::kAdjacent;
  uint32_t rope_dims = 0;      // elements of a head that rotate, from its front; even, at most head_dim
  float rope_base = 10000.0f;  // of layers that see the whole context
  float rope_base_sliding = 10000.0f;  // of sliding layers, which no scaling applies to
  RopeScaling rope_scaling;

  uint32_t sliding_window = 0;       // positions a sliding layer sees, its own included; 0: no layer slides
  std::vector<bool> sliding_layers;  // (layers)

  float embedding_scale = 1.0f;  // multiplies each embedding
  float residual_scale = 1.0f;   // multiplies what attention and feed-forward add to the residual stream
  float logit_scale = 1.0f;      // multiplies each logit, before the soft cap
};

// ERRORS: kBadFile names the key, its offset and its value; kUnsupported an architecture or a variant of one.
// Tensors are not looked at, but for the presence of output.weight and rope_freqs.weight.
Result<Hyperparameters> read_hyperparameters(const GgufFile& file);

}  // namespace hb
