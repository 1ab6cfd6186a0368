#include "model/hparams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "model/gguf_header.h"

namespace hb {
namespace {

using testing::HasSubstr;
using Change = std::function<void(GgufHeader&)>;

// The least an architecture needs. A key that `more` sets is left out here.
struct Metadata {
  std::string architecture = "llama";
  std::string without = {};  // a key to leave out
  Change more = {};
  uint32_t tokens = 100;
};

std::vector<uint8_t> file_bytes(const Metadata& metadata) {
  GgufHeader header;
  const auto set = [&](const std::string& key, auto value) {
    if (key != metadata.without) header.set(metadata.architecture + "." + key, value);
  };
  header.set("general.architecture", metadata.architecture);
  set("block_count", 12u);
  set("embedding_length", 64u);
  set("feed_forward_length", 192u);
  set("context_length", 2048u);
  set("attention.head_count", 4u);
  set("attention.layer_norm_rms_epsilon", 1e-6f);
  if (metadata.tokens > 0)
    header.set_strings("tokenizer.ggml.tokens", std::vector<std::string>(metadata.tokens));
  if (metadata.more) metadata.more(header);
  auto bytes = header.bytes();
  for (const auto& tensor : header.tensors()) bytes.resize(bytes.size() + tensor.size_bytes);
  return bytes;
}

Result<Hyperparameters> read(const Metadata& metadata) {
  const auto bytes = file_bytes(metadata);
  HB_ASSIGN(const auto file, GgufFile::parse(bytes));
  return read_hyperparameters(*file);
}

Hyperparameters must_read(const Metadata& metadata) {
  auto h = read(metadata);
  EXPECT_TRUE(h) << h.error().message;
  return h ? *h : Hyperparameters{};
}

TEST(HyperparametersTest, AbsentKeysHaveTheirDefaults) {
  const Hyperparameters h = must_read({});
  EXPECT_EQ(h.architecture, Architecture::kLlama);
  EXPECT_EQ(h.layers, 12u);
  EXPECT_EQ(h.hidden, 64u);
  EXPECT_EQ(h.ffn, 192u);
  EXPECT_EQ(h.context, 2048u);
  EXPECT_EQ(h.heads, 4u);
  EXPECT_EQ(h.kv_heads, 4u);
  EXPECT_EQ(h.head_dim, 16u);
  EXPECT_EQ(h.vocab, 100u);
  EXPECT_TRUE(h.tied_output);
  EXPECT_EQ(h.norm_eps, 1e-6f);
  EXPECT_EQ(h.attention_scale, 0.25f);
  EXPECT_EQ(h.rope_pairing, RopePairing::kAdjacent);
  EXPECT_EQ(h.rope_dims, 16u);
  EXPECT_EQ(h.rope_base, 10000.0f);
  EXPECT_EQ(h.rope_scaling.kind, RopeScalingKind::kNone);
  EXPECT_EQ(h.sliding_window, 0u);
  EXPECT_EQ(h.sliding_layers, std::vector<bool>(12, false));
  EXPECT_EQ(h.embedding_scale, 1.0f);
  EXPECT_EQ(h.residual_scale, 1.0f);
  EXPECT_EQ(h.logit_scale, 1.0f);
  EXPECT_EQ(h.logit_soft_cap, 0.0f);
}

TEST(HyperparametersTest, PresentKeysCount) {
  const Hyperparameters h = must_read({.architecture = "qwen3", .more = [](GgufHeader& header) {
                                         header.set("qwen3.attention.head_count_kv", 2u);
                                         header.set("qwen3.attention.key_length", 32u);
                                         header.set("qwen3.attention.value_length", 32u);
                                         header.set("qwen3.rope.dimension_count", 24u);
                                         header.set("qwen3.rope.freq_base", 1e6f);
                                         header.set("qwen3.vocab_size", 100u);
                                         header.set("qwen3.attention.scale", 0.5f);
                                         header.add_tensor("output.weight", TensorType::kF32, {1});
                                       }});
  EXPECT_EQ(h.architecture, Architecture::kQwen3);
  EXPECT_EQ(h.kv_heads, 2u);
  EXPECT_EQ(h.head_dim, 32u);
  EXPECT_EQ(h.rope_dims, 24u);
  EXPECT_EQ(h.rope_base, 1e6f);
  EXPECT_EQ(h.attention_scale, 0.5f);
  EXPECT_EQ(h.rope_pairing, RopePairing::kHalves);
  EXPECT_FALSE(h.tied_output);
}

TEST(HyperparametersTest, VocabWithoutTokenizerComesFromItsKey) {
  const auto with_key = [](GgufHeader& header) { header.set("llama.vocab_size", 77u); };
  EXPECT_EQ(must_read({.more = with_key, .tokens = 0}).vocab, 77u);
  EXPECT_THAT(read({.tokens = 0}).error().message, HasSubstr("key 'llama.vocab_size' is missing"));
  EXPECT_THAT(
      read({.more = with_key}).error().message,
      HasSubstr("key 'llama.vocab_size' is 77; the number of tokens in 'tokenizer.ggml.tokens', 100"));
}

TEST(HyperparametersTest, MiniCpmScales) {
  const Hyperparameters old = must_read({.architecture = "minicpm"});
  EXPECT_EQ(old.embedding_scale, 12.0f);
  EXPECT_FLOAT_EQ(old.residual_scale, 1.4f / std::sqrt(12.0f));
  EXPECT_EQ(old.logit_scale, 4.0f);  // 256 / hidden
  const Hyperparameters h = must_read({.architecture = "minicpm", .more = [](GgufHeader& header) {
                                         header.set("minicpm.embedding_scale", 10.0f);
                                         header.set("minicpm.residual_scale", 0.5f);
                                         header.set("minicpm.logit_scale", 8.0f);
                                       }});
  EXPECT_EQ(h.embedding_scale, 10.0f);
  EXPECT_EQ(h.residual_scale, 0.5f);
  EXPECT_EQ(h.logit_scale, 0.125f);
}

TEST(HyperparametersTest, Gemma3SlidesButEverySixthLayer) {
  const Hyperparameters h = must_read({.architecture = "gemma3", .more = [](GgufHeader& header) {
                                         header.set("gemma3.attention.sliding_window", 512u);
                                         header.set("gemma3.final_logit_softcapping", 30.0f);
                                       }});
  EXPECT_EQ(h.sliding_window, 512u);
  for (uint32_t layer = 0; layer < 12; ++layer) EXPECT_EQ(h.sliding_layers[layer], layer != 5 && layer != 11);
  EXPECT_EQ(h.rope_base, 1e6f);
  EXPECT_EQ(h.rope_base_sliding, 10000.0f);
  EXPECT_EQ(h.embedding_scale, 8.0f);
  EXPECT_EQ(h.logit_soft_cap, 30.0f);
  EXPECT_EQ(h.attention_soft_cap, 0.0f);
}

TEST(HyperparametersTest, Gemma3PatternMayBeAPeriodOrFlags) {
  const auto layers_of = [](const Change& pattern) {
    return must_read({.architecture = "gemma3",
                      .more =
                          [&](GgufHeader& header) {
                            header.set("gemma3.attention.sliding_window", 512u);
                            pattern(header);
                          }})
        .sliding_layers;
  };
  const auto by_period = layers_of([](auto& h) { h.set("gemma3.attention.sliding_window_pattern", 2u); });
  EXPECT_TRUE(by_period[0] && !by_period[1] && by_period[2]);
  std::array<bool, 12> flags{};
  flags[7] = true;
  const auto by_flags = layers_of(
      [&](auto& h) { h.template set_array<bool>("gemma3.attention.sliding_window_pattern", flags); });
  for (uint32_t layer = 0; layer < 12; ++layer) EXPECT_EQ(by_flags[layer], layer == 7);
}

TEST(HyperparametersTest, Gemma3Of27BHasItsOwnAttentionScale) {
  const Hyperparameters h =
      must_read({.architecture = "gemma3", .without = "block_count", .more = [](auto& header) {
                   header.set("gemma3.block_count", 62u);
                   header.set("gemma3.attention.key_length", 32u);
                 }});
  EXPECT_EQ(h.attention_scale, 0.25f);  // hidden / heads = 16, not the head's 32
}

TEST(HyperparametersTest, RopeScaling) {
  const auto scaling_of = [](const Change& more) { return must_read({.more = more}).rope_scaling; };
  const RopeScaling yarn = scaling_of([](GgufHeader& header) {
    header.set("llama.rope.scaling.type", "yarn");
    header.set("llama.rope.scaling.factor", 4.0f);
    header.set("llama.rope.scaling.original_context_length", 512u);
    header.set("llama.rope.scaling.attn_factor", 2.0f);
    header.set("llama.rope.scaling.yarn_attn_factor", 1.5f);
    header.set("llama.rope.scaling.yarn_beta_fast", 16.0f);
    header.set("llama.rope.scaling.yarn_beta_slow", 2.0f);
  });
  EXPECT_EQ(yarn.kind, RopeScalingKind::kYarn);
  EXPECT_EQ(yarn.factor, 4.0f);
  EXPECT_EQ(yarn.original_context, 512u);
  EXPECT_EQ(yarn.attention_factor, 3.0f);
  EXPECT_EQ(yarn.extrapolation, 1.0f);
  EXPECT_EQ(yarn.beta_fast, 16.0f);
  EXPECT_EQ(yarn.beta_slow, 2.0f);

  const RopeScaling linear = scaling_of([](auto& header) { header.set("llama.rope.scaling.factor", 8.0f); });
  EXPECT_EQ(linear.kind, RopeScalingKind::kLinear);
  EXPECT_EQ(linear.factor, 8.0f);
  EXPECT_EQ(scaling_of([](auto& header) { header.set("llama.rope.scale_linear", 2.0f); }).factor, 2.0f);
  EXPECT_EQ(scaling_of([](auto& header) { header.set("llama.rope.scaling.factor", 0.0f); }).kind,
            RopeScalingKind::kNone);
  EXPECT_EQ(scaling_of([](auto& header) { header.set("llama.rope.scaling.type", "none"); }).kind,
            RopeScalingKind::kNone);
  EXPECT_EQ(
      scaling_of([](auto& header) { header.add_tensor("rope_freqs.weight", TensorType::kF32, {8}); }).kind,
      RopeScalingKind::kFrequencyFactors);
}

struct Bad {
  const char* name;
  std::string without;
  Change more;
  const char* expected;
  std::string architecture = "llama";
};

class BadHyperparametersTest : public testing::TestWithParam<Bad> {};

TEST_P(BadHyperparametersTest, NameTheKey) {
  const Bad& bad = GetParam();
  const auto h = read({.architecture = bad.architecture, .without = bad.without, .more = bad.more});
  ASSERT_FALSE(h);
  EXPECT_THAT(h.error().message, HasSubstr(bad.expected));
}

template <class T>
Change with(const char* key, T value) {
  return [key, value](GgufHeader& header) { header.set(key, value); };
}

constexpr float kTiny = 1e-20f, kNan = std::numeric_limits<float>::quiet_NaN();

const Bad kBad[] = {
    {"Architecture", "", nullptr, "'mamba'; halfbyte runs llama, minicpm, qwen2, qwen3, gemma3", "mamba"},
    {"NoLayerCount", "block_count", nullptr, "key 'llama.block_count' is missing; an integer from 1 to 1024"},
    {"ZeroLayers", "block_count", with("llama.block_count", 0u), "key 'llama.block_count' is 0; an integer"},
    {"HugeLayers", "block_count", with("llama.block_count", 1u << 31), "is 2147483648; an integer from 1"},
    {"NegativeLayers", "block_count", with("llama.block_count", int32_t{-1}),
     "key 'llama.block_count' is -1"},
    {"TextLayers", "block_count", with("llama.block_count", "12"), "key 'llama.block_count' is '12'"},
    {"FloatLayers", "block_count", with("llama.block_count", 12.0f), "an integer from 1 to 1024"},
    {"ZeroHidden", "embedding_length", with("llama.embedding_length", 0u), "'llama.embedding_length' is 0"},
    {"ZeroFfn", "feed_forward_length", with("llama.feed_forward_length", 0u),
     "'llama.feed_forward_length' is 0"},
    {"ZeroContext", "context_length", with("llama.context_length", 0u), "'llama.context_length' is 0"},
    {"ZeroHeads", "attention.head_count", with("llama.attention.head_count", 0u), "head_count' is 0"},
    {"HeadsNoDivisor", "attention.head_count", with("llama.attention.head_count", 5u),
     "head_count' is 5; heads of"},
    {"OddHeads", "attention.head_count", with("llama.attention.head_count", 64u),
     "head_count' is 64; heads of"},
    {"ZeroKvHeads", "", with("llama.attention.head_count_kv", 0u),
     "head_count_kv' is 0; an integer from 1 to 4"},
    {"KvHeadsNoDivisor", "", with("llama.attention.head_count_kv", 3u),
     "head_count_kv' is 3; a divisor of the 4"},
    {"OddKeyLength", "", with("llama.attention.key_length", 7u), "key_length' is 7; heads of an even number"},
    {"ValueLength", "", with("llama.attention.value_length", 8u),
     "value_length' is 8: not the key length, 16"},
    {"ZeroEps", "attention.layer_norm_rms_epsilon", with("llama.attention.layer_norm_rms_epsilon", 0.0f),
     "epsilon' is 0; a number from"},
    {"TinyEps", "attention.layer_norm_rms_epsilon", with("llama.attention.layer_norm_rms_epsilon", kTiny),
     "epsilon' is 1e-20"},
    {"NegativeEps", "attention.layer_norm_rms_epsilon",
     with("llama.attention.layer_norm_rms_epsilon", -1e-5f), "epsilon' is -1e-05"},
    {"NanEps", "attention.layer_norm_rms_epsilon",
     with("llama.attention.layer_norm_rms_epsilon", std::numeric_limits<float>::quiet_NaN()),
     "epsilon' is nan"},
    {"NoEps", "attention.layer_norm_rms_epsilon", nullptr, "epsilon' is missing"},
    {"WideRope", "", with("llama.rope.dimension_count", 18u),
     "rope.dimension_count' is 18; an integer from 2 to 16"},
    {"OddRope", "", with("llama.rope.dimension_count", 5u), "rope.dimension_count' is 5; an even number"},
    {"RopeBase", "", with("llama.rope.freq_base", 0.0f), "rope.freq_base' is 0; a number from 2 to"},
    {"InfiniteRopeBase", "", with("llama.rope.freq_base", std::numeric_limits<float>::infinity()), "is inf"},
    {"RopeBaseThatTurnsAllPairsAlike", "", with("llama.rope.freq_base", 1.0f),
     "rope.freq_base' is 1; a number"},
    {"NegativeRopeBase", "", with("llama.rope.freq_base", -10000.0f), "rope.freq_base' is -10000; a number"},
    {"NanSlidingRopeBase", "", with("gemma3.rope.freq_base_swa", kNan), "rope.freq_base_swa' is nan",
     "gemma3"},
    {"LongRope", "", with("llama.rope.scaling.type", "longrope"),
     "rope.scaling.type' is 'longrope': known are none"},
    {"RopeTypeNumber", "", with("llama.rope.scaling.type", 1u),
     "rope.scaling.type' is 1; a string was expected"},
    {"NegativeFactor", "", with("llama.rope.scaling.factor", -2.0f), "rope.scaling.factor' is -2"},
    {"TinyFactor", "", with("llama.rope.scaling.factor", 0.03125f),
     "rope.scaling.factor' is 0.03125; 0 or a number from 0.0625 to"},
    {"TinyOldFactor", "", with("llama.rope.scale_linear", kTiny), "rope.scale_linear' is 1e-20"},
    {"NanFactor", "", with("llama.rope.scaling.factor", kNan), "rope.scaling.factor' is nan"},
    {"TextFactor", "", with("llama.rope.scaling.factor", "4"), "rope.scaling.factor' is '4'; 0 or a number"},
    {"HugeYarnFactor", "",
     [](GgufHeader& header) {
       header.set("llama.rope.scaling.type", "yarn");
       header.set("llama.rope.scaling.attn_factor", 1e5f);
     },
     "rope.scaling.attn_factor' is 100000; a number"},
    {"Experts", "", with("llama.expert_count", 8u), "key 'llama.expert_count' is 8: a mixture of experts"},
    {"ZeroResidualScale", "", with("minicpm.residual_scale", 0.0f), "'minicpm.residual_scale' is 0",
     "minicpm"},
    {"NanLogitScale", "", with("minicpm.logit_scale", std::nanf("")), "'minicpm.logit_scale' is nan",
     "minicpm"},
    {"TinyResidualScale", "", with("minicpm.residual_scale", kTiny), "'minicpm.residual_scale' is 1e-20",
     "minicpm"},
    {"TinyEmbeddingScale", "", with("minicpm.embedding_scale", kTiny), "'minicpm.embedding_scale' is 1e-20",
     "minicpm"},
    {"NegativeAttentionScale", "", with("llama.attention.scale", -0.125f), "attention.scale' is -0.125"},
    {"TinyAttentionScale", "", with("llama.attention.scale", kTiny), "attention.scale' is 1e-20"},
    {"NegativeSoftCap", "", with("gemma3.final_logit_softcapping", -1.0f), "softcapping' is -1", "gemma3"},
    {"TinySoftCap", "", with("gemma3.final_logit_softcapping", kTiny),
     "final_logit_softcapping' is 1e-20; 0 or a number from 1e-06", "gemma3"},
    {"NanSoftCap", "", with("gemma3.attn_logit_softcapping", kNan), "attn_logit_softcapping' is nan",
     "gemma3"},
    {"TinyAttentionSoftCap", "", with("gemma3.attn_logit_softcapping", kTiny),
     "attn_logit_softcapping' is 1e-20", "gemma3"},
    {"TextWindow", "", with("gemma3.attention.sliding_window", "x"), "sliding_window' is 'x'", "gemma3"},
    {"ShortPattern", "",
     [](GgufHeader& header) {
       header.set("gemma3.attention.sliding_window", 4u);
       header.set_array<bool>("gemma3.attention.sliding_window_pattern", std::array{true, false});
     },
     "pattern' is array of 2; a flag for each of the 12 layers", "gemma3"},
};

INSTANTIATE_TEST_SUITE_P(All, BadHyperparametersTest, testing::ValuesIn(kBad),
                         [](const testing::TestParamInfo<Bad>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace hb
