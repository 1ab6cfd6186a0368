// Models of any size with random weights: what a speed depends on, without what is worth knowing.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "model/gguf.h"
#include "quant/tensor_type.h"

namespace hb::bench {

// A llama model. The defaults are 1.17B parameters, 763 MB.
struct SyntheticModel {
  uint32_t hidden = 1536;
  uint32_t ffn = 4608;
  uint32_t layers = 28;
  uint32_t heads = 12;  // a divisor of hidden
  uint32_t kv_heads = 4;
  uint32_t vocab = 130560;
  uint32_t context = 8192;
  // Quantised, all three; a row (hidden, ffn) is a multiple of the type's block.
  TensorType matrices = TensorType::kQ4_0;
  TensorType embedding = TensorType::kQ4_0;
  TensorType output = TensorType::kQ8_0;
  uint64_t seed = 1;
};

// Writes the model with `tokenizer`'s vocabulary, cut or padded to `vocab`. Weights of a row of n have the
// standard deviation 1 / sqrt(n), those that add to the residual stream half of it, so that activations stay
// near 1. Needs memory for a few rows only. ERRORS: kInvalidArgument (sizes and types that do not fit), kIo,
// kBadFile (no BPE vocabulary).
Status write_synthetic_model(const std::string& path, const SyntheticModel& model, const GgufFile& tokenizer);

}  // namespace hb::bench
