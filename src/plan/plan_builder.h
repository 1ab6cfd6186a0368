// The vocabulary in which an architecture is written down (decoder_steps.cc and llama.cc are the example to
// read).
//
// Activations go by name: "x" is the residual stream, "norm", "q", "k", "v", "attn", "ffn" what a layer
// computes, and "logits". All layers share these buffers. A buffer's width comes from the hyper-parameters,
// and every weight must have the shape that the buffers around it ask for: that is the whole check of a
// file's tensors.
//
// Weights are named as in the file, without ".weight" and, inside a layer, without "blk.<layer>.".
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/gguf.h"
#include "model/hparams.h"
#include "plan/plan.h"

namespace hb {

struct MatvecOptions {
  float out_scale = 1.0f;          // out = residual + out_scale * (W in + bias)
  std::string_view residual = {};  // a buffer, often `out` itself; empty: nothing is added
};

// The first thing wrong with the file is kept, later calls do nothing, and finish() returns it: an
// architecture reads as a list of steps. BORROWS the file and the hyper-parameters.
class PlanBuilder {
 public:
  PlanBuilder(const GgufFile& file, const Hyperparameters& hparams);

  const Hyperparameters& hparams() const { return hparams_; }

  // Another buffer than those above.
  void add_buffer(std::string_view name, uint32_t width);

  // Runs `add_layer` for each layer of the model.
  void each_layer(void (*add_layer)(PlanBuilder&));

  // x = row of token_embd, times the embedding scale.
  void embed();

  // out = [residual +] RMS norm of the whole row.
  void norm(std::string_view in, std::string_view weight, std::string_view out,
            std::string_view residual = {});

  // RMS norm of each head, in place.
  void head_norm(std::string_view buffer, std::string_view weight);

  // out = residual + out_scale * (W in + bias). The bias is there if the file has "<weight>.bias".
  // `in` is quantised first, once for all matrices that read it, if W is quantised.
  void matvec(std::string_view in, std::string_view weight, std::string_view out, MatvecOptions options = {});

  // out = activation(gate in) * (up in)
  struct GatedWeights {
    std::string_view gate;
    std::string_view up;
  };
  void gated(std::string_view in, GatedWeights weights, std::string_view out, MatvecOp::Gate activation);

  // Rotates each head of q or k by its position, in place.
  void rope(std::string_view buffer);

  // attn = attention of q over this layer's cache, after k and v went there.
  // In the last layer only the rows whose logits are wanted go on: of attn, and of x.
  void attention();

  // logits = soft cap(logit scale * (W in)), W: output, or token_embd where the file ties them.
  void logits(std::string_view in);

  // ERRORS: kNotFound (a tensor is missing), kBadFile (wrong shape), kUnsupported; they name the tensor.
  Result<Plan> finish();

 private:
  struct Buffer {
    uint32_t width;
    BufferId f32 = kNone;
    BufferId q8 = kNone;
    bool q8_current = false;  // q8 holds what f32 holds
  };

  bool in_last_layer() const { return layer_ == hparams_.layers - 1; }
  bool slides() const { return hparams_.sliding_layers[*layer_]; }
  std::string tensor_name(std::string_view weight, std::string_view suffix) const;
  void fail_with(Error error);

  Buffer& find(std::string_view name);
  uint32_t width(std::string_view name) { return find(name).width; }
  BufferId read(std::string_view name);
  BufferId read_as(std::string_view name, TensorType weight_type);
  BufferId read_optional(std::string_view name) { return name.empty() ? kNone : read(name); }
  BufferId write(std::string_view name);
  BufferId new_buffer(std::string name, PlanBuffer::Kind kind, uint32_t width);
  void keep_output_rows(std::initializer_list<std::string_view> names);

  WeightId matrix(std::string_view weight, uint32_t rows, uint32_t cols);
  WeightId vector(const std::string& name, uint32_t size);
  WeightId add_weight(const std::string& name, uint32_t rows, uint32_t cols, size_t dims);
  WeightId bias_of(std::string_view weight, uint32_t size);
  uint32_t rope_table();
  Result<RopeTable> make_table() const;

  const GgufFile& file_;
  const Hyperparameters& hparams_;
  Plan plan_;
  std::optional<Error> error_;
  std::optional<uint32_t> layer_;  // nothing outside of layers
  bool output_rows_ = false;       // new buffers hold rows of outputs
  std::map<std::string, Buffer, std::less<>> buffers_;
  std::map<std::string, WeightId, std::less<>> weights_;
  uint32_t rope_tables_[2] = {kNone, kNone};  // of layers that see everything, and of sliding ones
};

}  // namespace hb
