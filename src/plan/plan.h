// A Plan is a model as a flat list of ops over named tensors: all that a backend ever sees of it.
//
// A plan is executed on a batch: n tokens at consecutive positions. A buffer holds one row per token
// ("column" of the matrix products) until an OutputRows op narrows it to the tokens whose logits are wanted.
// The meaning of every op, to the last bit, is docs/numerics.md; its executable form is src/backend/ref.
// Every F32 value that an op stores goes through exact::settle(): it is +0 or at least 2^-44 in magnitude.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "quant/tensor_type.h"

namespace hb {

using BufferId = uint32_t;
using WeightId = uint32_t;
inline constexpr uint32_t kNone = UINT32_MAX;  // an optional buffer or weight that is not there

// An activation tensor of shape (rows of the batch, width).
struct PlanBuffer {
  enum class Kind : uint8_t {
    kF32,
    kQ8,  // blocks of 32: int8 codes, a scale and sums (quant/activation.h); width is a multiple of 32
  };
  std::string name;
  Kind kind = Kind::kF32;
  uint32_t width = 0;
  bool output_rows = false;  // holds rows of the wanted outputs instead of rows of the batch
};

// A tensor of the model. BORROWS bytes from the model file (alive until the backend has compiled the plan).
struct PlanWeight {
  std::string name;
  TensorType type = TensorType::kF32;
  uint32_t rows = 1;  // N: outputs of a matvec, tokens of an embedding; 1 for a vector
  uint32_t cols = 0;  // K: inputs of a matvec, width of an embedding, length of a vector
  std::span<const uint8_t> bytes;
};

// out = float(table row of the token) * scale
struct EmbedOp {
  WeightId table;
  BufferId out;
  float scale = 1.0f;
};

// Per group of `group` elements (the whole row, or one head): out = ((in * rsqrt(mean(in^2) + epsilon)) *
// weight). With `residual`: out = residual + that. `out` may be `in`; weight has `group` elements.
struct RmsNormOp {
  BufferId in;
  WeightId weight;
  BufferId out;
  uint32_t group;
  float epsilon;
  BufferId residual = kNone;
};

// F32 to Q8, block by block.
struct QuantiseOp {
  BufferId in;
  BufferId out;
};

// out = epilogue(W in). Quantised weights take a Q8 input, F32, F16 and BF16 weights an F32 one.
// y = W in [+ bias], or, with a gate, y = activation(W in) * (up in), without bias.
// Then [y = y * out_scale] and [y = residual + y]; out = y. `residual` may be `out`.
struct MatvecOp {
  enum class Gate : uint8_t { kNone, kSilu, kGelu };
  BufferId in;
  WeightId weight;
  BufferId out;
  WeightId bias = kNone;
  Gate gate = Gate::kNone;
  WeightId up = kNone;  // of a gated matvec
  float out_scale = 1.0f;
  BufferId residual = kNone;
};

// Rotates pairs of the first `rotary_dims` elements of every head by position * frequency, in place.
struct RopeOp {
  enum class Pairing : uint8_t {
    kAdjacent,  // (0,1), (2,3), …: llama
    kHalves,    // (0, d/2), (1, d/2 + 1), …: qwen, gemma
  };
  BufferId buffer;
  uint32_t heads;
  uint32_t head_dim;
  uint32_t rope_table;  // index into Plan::rope_tables; its rotary_dims <= head_dim
  Pairing pairing;
};

// Rounds K and V rows (kv_heads, head_dim) to f16 and stores them at the batch's positions of `layer`.
struct CacheWriteOp {
  uint32_t layer;
  BufferId key;
  BufferId value;
};

// out (heads, head_dim) = softmax(softcap(q k * scale)) v over the cached positions
// max(0, position - window + 1) … position; window 0: all. Head h reads KV head h / (heads / kv_heads).
struct AttentionOp {
  uint32_t layer;
  BufferId query;
  BufferId out;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t head_dim;
  float scale;
  uint32_t window = 0;
  float softcap = 0.0f;  // 0: none
};

// out = the rows of `in` whose logits are wanted.
struct OutputRowsOp {
  BufferId in;
  BufferId out;
};

// out = cap * tanh(in * (1 / cap)), in place.
struct SoftcapOp {
  BufferId buffer;
  float cap;
};

// in place: buffer = buffer * scale
struct ScaleOp {
  BufferId buffer;
  float scale;
};

using Op = std::variant<EmbedOp, RmsNormOp, QuantiseOp, MatvecOp, RopeOp, CacheWriteOp, AttentionOp,
                        OutputRowsOp, SoftcapOp, ScaleOp>;

// The angles of a rotary embedding. Row p of the table holds cos and sin of p * frequency[i], times
// `magnitude`, rounded to float from double (base/exact_double.h) and settled; see rope_rows().
struct RopeTable {
  std::vector<double> frequencies;  // radians a position, one a pair: rotary_dims / 2
  double magnitude = 1.0;           // YaRN's attention factor
  uint32_t rotary_dims() const { return static_cast<uint32_t>(frequencies.size()) * 2; }
};

// cos and sin of `count` positions from `first`: two arrays of (count, frequencies) floats.
struct RopeRows {
  std::vector<float> cos;
  std::vector<float> sin;
};
RopeRows rope_rows(const RopeTable& table, uint32_t first, uint32_t count);

// One layer's key and value cache: (positions, kv_heads, head_dim) f16 each.
struct CacheLayer {
  uint32_t kv_heads;
  uint32_t head_dim;
};

struct Plan {
  std::string architecture;
  uint32_t vocab_size = 0;
  uint32_t max_positions = 0;  // the model's own context length
  std::vector<PlanBuffer> buffers;
  std::vector<PlanWeight> weights;
  std::vector<RopeTable> rope_tables;
  std::vector<CacheLayer> cache_layers;
  std::vector<Op> ops;
  BufferId logits = kNone;  // F32, width vocab_size, output rows

  BufferId add_buffer(std::string name, PlanBuffer::Kind kind, uint32_t width, bool output_rows = false);
  WeightId add_weight(PlanWeight weight);
};

// One line per op, with the names and shapes of what it reads and writes.
std::string to_string(const Plan& plan);
std::string to_string(const Plan& plan, const Op& op);

// Bytes of the weights that one token's forward pass reads: each matrix and vector once, of the embedding
// table one row, or all of it where it is also the output matrix.
uint64_t weight_bytes_per_token(const Plan& plan);

}  // namespace hb
