// The tensors and sizes that a model file of an architecture has: for models with random weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/gguf_header.h"

namespace hb::testing {

struct ModelShape {
  std::string architecture;  // "llama", "minicpm", "qwen2", "qwen3", "gemma3"
  uint32_t hidden;
  uint32_t ffn;
  uint32_t layers;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t head_dim;
  uint32_t vocab;
  uint32_t context;
  float rope_base;
  bool tied;  // no output.weight
};

struct LayoutTensor {
  enum class Kind { kEmbedding, kMatrix, kOutput, kNorm, kBias };
  Kind kind;
  std::string name;
  std::vector<uint64_t> dims;  // GGUF's order: the length of a row first
};

// In the order in which converters write them.
std::vector<LayoutTensor> model_tensors(const ModelShape& shape);

// Architecture and sizes, as metadata. What is an architecture's own (scales, windows) is not among it.
void set_sizes(const ModelShape& shape, GgufHeader& header);

}  // namespace hb::testing
