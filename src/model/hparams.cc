#include "model/hparams.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "model/key_reader.h"
#include "model/printable.h"

namespace hb {
namespace {

// What bounds a sane model; far above any real one, and low enough that products of three fit 64 bits.
constexpr uint64_t kMaxLayers = 1024;
constexpr uint64_t kMaxWidth = 1 << 20;
constexpr uint64_t kMaxHeads = 4096;
constexpr uint64_t kMaxHeadDim = 1024;
constexpr uint64_t kMaxContext = 1 << 26;
constexpr uint64_t kMaxVocab = 1 << 22;
constexpr FloatRange kScale{1e-6f, 1e6f};  // of factors, divisors and caps
constexpr FloatRange kRopeBase{2.0f, 1e12f};
constexpr FloatRange kRopeFactor{0.0625f, 1e6f};  // up to 16 radians a position: plan/rope_frequencies.cc
constexpr FloatRange kYarnAttention{1e-3f, 1e3f};

using Keys = const KeyReader&;
using Out = Hyperparameters&;

Status read_sizes(Keys keys, Out h) {
  HB_ASSIGN(h.layers, keys.count("block_count", {1, kMaxLayers}));
  HB_ASSIGN(h.hidden, keys.count("embedding_length", {1, kMaxWidth}));
  HB_ASSIGN(h.ffn, keys.count("feed_forward_length", {1, kMaxWidth}));
  HB_ASSIGN(h.context, keys.count("context_length", {1, kMaxContext}));
  HB_ASSIGN(h.norm_eps, keys.number("attention.layer_norm_rms_epsilon", {1e-12f, 0.1f}));
  HB_ASSIGN(const uint32_t experts, keys.count("expert_count", {0, kMaxWidth}, 0));
  if (experts == 0) return {};
  return std::unexpected(keys.unsupported("expert_count", "a mixture of experts"));
}

Status read_heads(Keys keys, Out h) {
  HB_ASSIGN(h.heads, keys.count("attention.head_count", {1, kMaxHeads}));
  HB_ASSIGN(h.kv_heads, keys.count("attention.head_count_kv", {1, h.heads}, h.heads));
  if (h.heads % h.kv_heads != 0) {
    return std::unexpected(
        keys.bad("attention.head_count_kv", fmt::format("a divisor of the {} query heads", h.heads)));
  }
  const uint32_t split = h.hidden % h.heads == 0 ? h.hidden / h.heads : 0;
  HB_ASSIGN(h.head_dim, keys.count("attention.key_length", {1, kMaxHeadDim}, split));
  if (h.head_dim == 0 || h.head_dim > kMaxHeadDim || h.head_dim % 2 != 0) {
    const char* key = keys.has("attention.key_length") ? "attention.key_length" : "attention.head_count";
    return std::unexpected(keys.bad(
        key,
        fmt::format("heads of an even number of elements, at most {} (hidden: {})", kMaxHeadDim, h.hidden)));
  }
  HB_ASSIGN(const uint32_t value_length, keys.count("attention.value_length", {1, kMaxHeadDim}, h.head_dim));
  if (value_length != h.head_dim) {
    return std::unexpected(
        keys.unsupported("attention.value_length", fmt::format("not the key length, {}", h.head_dim)));
  }
  const float usual_scale = 1.0f / std::sqrt(static_cast<float>(h.head_dim));
  HB_ASSIGN(h.attention_scale, keys.number("attention.scale", kScale, usual_scale));
  return {};
}

Status read_vocab(Keys keys, Out h) {
  constexpr const char* kTokens = "tokenizer.ggml.tokens";
  const GgufValue* tokens = keys.file().find(kTokens);
  const uint64_t token_count = tokens ? tokens->count() : 0;
  if (token_count > kMaxVocab) {
    return fail(ErrorCode::kBadFile, fmt::format("offset {}: key '{}' has {} tokens; the limit is {}",
                                                 tokens->file_offset(), kTokens, token_count, kMaxVocab));
  }
  if (token_count == 0) {
    HB_ASSIGN(h.vocab, keys.count("vocab_size", {1, kMaxVocab}));
    return {};
  }
  HB_ASSIGN(h.vocab, keys.count("vocab_size", {1, kMaxVocab}, static_cast<uint32_t>(token_count)));
  if (h.vocab == token_count) return {};
  return std::unexpected(
      keys.bad("vocab_size", fmt::format("the number of tokens in '{}', {}", kTokens, token_count)));
}

Status read_yarn(Keys keys, Out h) {
  RopeScaling& yarn = h.rope_scaling;
  HB_ASSIGN(yarn.original_context,
            keys.count("rope.scaling.original_context_length", {1, kMaxContext}, h.context));
  HB_ASSIGN(yarn.extrapolation, keys.number("rope.scaling.yarn_ext_factor", {0.0f, 1.0f}, 1.0f));
  HB_ASSIGN(const float attention_factor, keys.number("rope.scaling.attn_factor", kYarnAttention, 1.0f));
  HB_ASSIGN(const float yarn_factor, keys.number("rope.scaling.yarn_attn_factor", kYarnAttention, 1.0f));
  yarn.attention_factor = attention_factor * yarn_factor;
  HB_ASSIGN(yarn.beta_fast, keys.number("rope.scaling.yarn_beta_fast", kScale, 32.0f));
  HB_ASSIGN(yarn.beta_slow, keys.number("rope.scaling.yarn_beta_slow", kScale, 1.0f));
  return {};
}

// A missing type means linear, and no factor, 0 (as old files write it) or 1 means none.
Status read_rope_scaling(Keys keys, Out h) {
  HB_ASSIGN(const std::string type, keys.text("rope.scaling.type", "linear"));
  HB_ASSIGN(const float old_factor, keys.number_or_zero("rope.scale_linear", kRopeFactor));
  HB_ASSIGN(const float new_factor, keys.number_or_zero("rope.scaling.factor", kRopeFactor));
  const float factor = keys.has("rope.scaling.factor") ? new_factor : old_factor;
  h.rope_scaling.factor = factor == 0.0f ? 1.0f : factor;
  if (type == "yarn") {
    h.rope_scaling.kind = RopeScalingKind::kYarn;
    HB_TRY(read_yarn(keys, h));
  } else if (type == "linear") {
    if (h.rope_scaling.factor != 1.0f) h.rope_scaling.kind = RopeScalingKind::kLinear;
  } else if (type == "none") {
    h.rope_scaling.factor = 1.0f;
  } else {
    return std::unexpected(keys.unsupported("rope.scaling.type", "known are none, linear, yarn"));
  }
  if (keys.file().find_tensor("rope_freqs.weight") == nullptr) return {};
  if (h.rope_scaling.kind != RopeScalingKind::kNone) {
    return std::unexpected(keys.unsupported("rope.scaling.type", "together with tensor 'rope_freqs.weight'"));
  }
  h.rope_scaling.kind = RopeScalingKind::kFrequencyFactors;
  return {};
}

Status read_rope(Keys keys, Out h) {
  HB_ASSIGN(h.rope_dims, keys.count("rope.dimension_count", {2, h.head_dim}, h.head_dim));
  if (h.rope_dims % 2 != 0) return std::unexpected(keys.bad("rope.dimension_count", "an even number"));
  HB_ASSIGN(h.rope_base, keys.number("rope.freq_base", kRopeBase, h.rope_base));
  HB_ASSIGN(h.rope_base_sliding, keys.number("rope.freq_base_swa", kRopeBase, h.rope_base_sliding));
  return read_rope_scaling(keys, h);
}

// Layers slide but every sixth; the file may give another period, or say it for each layer.
Status read_sliding_layers(Keys keys, Out h) {
  constexpr const char* kPattern = "attention.sliding_window_pattern";
  const GgufValue* pattern = keys.find(kPattern);
  if (pattern != nullptr && pattern->kind() == GgufKind::kArray) {
    const auto flags = pattern->as_integers();
    if (!flags || flags->size() < h.layers) {
      return std::unexpected(keys.bad(kPattern, fmt::format("a flag for each of the {} layers", h.layers)));
    }
    for (uint32_t layer = 0; layer < h.layers; ++layer) h.sliding_layers[layer] = (*flags)[layer] != 0;
    return {};
  }
  HB_ASSIGN(const uint32_t period, keys.count(kPattern, {1, kMaxLayers}, 6));
  for (uint32_t layer = 0; layer < h.layers; ++layer) h.sliding_layers[layer] = layer % period != period - 1;
  return {};
}

Status read_llama(Keys, Out) { return {}; }

// Absent keys have the values of the first MiniCPM models: scale_emb 12, scale_depth 1.4, dim_model_base 256.
// The file's logit_scale is hidden / dim_model_base, which logits are divided by.
Status read_minicpm(Keys keys, Out h) {
  const float depth_scale = 1.4f / std::sqrt(static_cast<float>(h.layers));
  const float divisor = static_cast<float>(h.hidden) / 256.0f;
  HB_ASSIGN(h.embedding_scale, keys.number("embedding_scale", kScale, 12.0f));
  HB_ASSIGN(h.residual_scale, keys.number("residual_scale", kScale, depth_scale));
  HB_ASSIGN(const float logit_divisor, keys.number("logit_scale", kScale, divisor));
  h.logit_scale = 1.0f / logit_divisor;
  return {};
}

Status read_qwen(Keys, Out h) {
  h.rope_pairing = RopePairing::kHalves;
  return {};
}

Status read_gemma3(Keys keys, Out h) {
  constexpr uint32_t kLayersOf27B = 62;
  h.rope_pairing = RopePairing::kHalves;
  h.rope_base = 1e6f;  // unless the file has another
  h.embedding_scale = std::sqrt(static_cast<float>(h.hidden));
  if (h.layers == kLayersOf27B && !keys.has("attention.scale")) {
    h.attention_scale = 1.0f / std::sqrt(static_cast<float>(h.hidden) / static_cast<float>(h.heads));
  }
  HB_ASSIGN(h.attention_soft_cap, keys.number_or_zero("attn_logit_softcapping", kScale));
  HB_ASSIGN(h.logit_soft_cap, keys.number_or_zero("final_logit_softcapping", kScale));
  HB_ASSIGN(h.sliding_window, keys.count("attention.sliding_window", {0, kMaxContext}, 0));
  return h.sliding_window > 0 ? read_sliding_layers(keys, h) : Status{};
}

// A new architecture is a line here, an enumerator, and a function for what is its own.
struct ArchitectureRow {
  Architecture architecture;
  const char* name;
  Status (*read_own)(Keys, Out);  // after sizes and heads
};

constexpr std::array kArchitectures = {
    ArchitectureRow{Architecture::kLlama, "llama", read_llama},
    ArchitectureRow{Architecture::kMiniCpm, "minicpm", read_minicpm},
    ArchitectureRow{Architecture::kQwen2, "qwen2", read_qwen},
    ArchitectureRow{Architecture::kQwen3, "qwen3", read_qwen},
    ArchitectureRow{Architecture::kGemma3, "gemma3", read_gemma3},
};

Result<const ArchitectureRow*> find_architecture(const GgufFile& file) {
  HB_ASSIGN(const std::string name, file.get_string("general.architecture"));
  std::string known;
  for (const ArchitectureRow& row : kArchitectures) {
    if (name == row.name) return &row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return fail(ErrorCode::kUnsupported,
              fmt::format("key 'general.architecture' is '{}'; halfbyte runs {}", printable(name), known));
}

}  // namespace

const char* architecture_name(Architecture architecture) {
  for (const ArchitectureRow& row : kArchitectures) {
    if (row.architecture == architecture) return row.name;
  }
  return "unknown";
}

Result<Hyperparameters> read_hyperparameters(const GgufFile& file) {
  HB_ASSIGN(const ArchitectureRow* row, find_architecture(file));
  const KeyReader keys(file, row->name);
  Hyperparameters h;
  h.architecture = row->architecture;
  h.tied_output = file.find_tensor("output.weight") == nullptr;
  HB_TRY(read_sizes(keys, h));
  h.sliding_layers.assign(h.layers, false);
  HB_TRY(read_heads(keys, h));
  HB_TRY(read_vocab(keys, h));
  HB_TRY(row->read_own(keys, h));
  HB_TRY(read_rope(keys, h));
  return h;
}

}  // namespace hb
