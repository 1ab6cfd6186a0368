// Tiny, complete models with random weights, for tests: every architecture, every tensor type, a valid
// tokenizer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/gguf_header.h"
#include "quant/tensor_type.h"

namespace hb::test {

// The same options give the same bytes on every platform. Activations stay finite: scales are zero or normal
// fp16 values of the size that keeps a matrix's outputs near its inputs'.
//
// REQUIRES: rows of matrices (hidden, ffn, heads * head_dim) are multiples of matrix_type's block (256 for
// K-quants, 32 for the others, 1 for F32, F16, BF16), hidden also of embedding_type's; vocab at least
// kTinyVocabMin; kv_heads divides heads; head_dim is even.
struct TinyModel {
  std::string architecture = "llama";  // or minicpm, qwen2, qwen3, gemma3
  uint32_t hidden = 64;
  uint32_t ffn = 96;
  uint32_t layers = 2;
  uint32_t heads = 4;
  uint32_t kv_heads = 2;
  uint32_t head_dim = 16;
  uint32_t vocab = 288;
  uint32_t context = 256;
  uint32_t sliding_window = 16;  // gemma3 only; every second layer sees everything
  bool tied = true;
  TensorType matrix_type = TensorType::kQ4_0;     // attention and feed-forward
  TensorType embedding_type = TensorType::kQ8_0;  // token_embd.weight, and output.weight if not tied
  uint64_t seed = 1;
  std::function<TensorType(const std::string& tensor)>
      type_of{};                                     // of each matrix, in place of the two above
  std::function<void(GgufHeader&)> more_metadata{};  // adds keys, such as rope scaling
};

constexpr uint32_t kTinyVocabMin = 280;

// A model of dimensions that suit every tensor type, K-quants included.
TinyModel tiny_model_for(const std::string& architecture, TensorType matrix_type);

// The whole file. The tokenizer is byte-level BPE (gpt2, pre smollm) with a ChatML template, for gemma3
// SentencePiece (llama) with byte tokens and no template. Both encode any text.
std::vector<uint8_t> make_tiny_model(const TinyModel& model);
Status write_tiny_model(const std::string& path, const TinyModel& model);

// Random data of one tensor, (rows, row_elems); `row_elems` sets the size of the scales. Float types are
// uniform.
std::vector<uint8_t> random_tensor(TensorType type, uint64_t row_elems, uint64_t rows, uint64_t seed);

// The header's file with `data` for each tensor in turn, in memory.
std::vector<uint8_t> gguf_file_bytes(const GgufHeader& header, const std::vector<std::vector<uint8_t>>& data);

}  // namespace hb::test
