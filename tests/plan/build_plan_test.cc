#include "plan/build_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

#include "model/gguf.h"
#include "model/gguf_header.h"
#include "plan/edited_model.h"

namespace hb {
namespace {

using test::TensorEdit;
using test::TinyModel;
using testing::ElementsAre;
using testing::HasSubstr;

// A model file in memory and what build_plan() makes of it.
struct Built {
  std::vector<uint8_t> bytes;
  std::unique_ptr<GgufFile> file;
  Result<Plan> plan;

  explicit Built(std::vector<uint8_t> file_bytes)
      : bytes(std::move(file_bytes)), file(*GgufFile::parse(bytes)), plan(build_plan(*file)) {}
};

Built built(const TinyModel& model, const std::map<std::string, TensorEdit>& edits = {}) {
  return Built(test::edited_model(model, edits));
}

template <class T>
std::vector<T> ops_of(const Plan& plan) {
  std::vector<T> found;
  for (const Op& op : plan.ops) {
    if (const T* wanted = std::get_if<T>(&op)) found.push_back(*wanted);
  }
  return found;
}

std::string message_of(const Result<Plan>& plan) { return plan ? "no error" : plan.error().message; }

std::string weight_name(const Plan& plan, WeightId id) { return plan.weights[id].name; }

// Of all tensors in the file.
uint64_t tensor_bytes(const GgufFile& file) {
  uint64_t bytes = 0;
  for (const GgufTensor& tensor : file.tensors()) bytes += tensor.bytes.size();
  return bytes;
}

TEST(BuildPlan, NamesSizesAndCache) {
  const Built model = built({.layers = 3, .heads = 4, .kv_heads = 2, .head_dim = 16, .vocab = 300});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const Plan& plan = *model.plan;
  EXPECT_EQ(plan.architecture, "llama");
  EXPECT_EQ(plan.vocab_size, 300u);
  EXPECT_EQ(plan.max_positions, 256u);
  ASSERT_EQ(plan.cache_layers.size(), 3u);
  EXPECT_EQ(plan.cache_layers[2].kv_heads, 2u);
  EXPECT_EQ(plan.cache_layers[2].head_dim, 16u);
  const PlanBuffer& logits = plan.buffers[plan.logits];
  EXPECT_EQ(logits.name, "logits");
  EXPECT_EQ(logits.width, 300u);
  EXPECT_TRUE(logits.output_rows);
}

TEST(BuildPlan, EveryTensorType) {
  for (const char* architecture : {"llama", "gemma3"}) {
    for (const TensorType type :
         {TensorType::kF32, TensorType::kQ4_0, TensorType::kQ6_K, TensorType::kIQ4_NL}) {
      const Built model = built(test::tiny_model_for(architecture, type));
      EXPECT_TRUE(model.plan) << message_of(model.plan);
    }
  }
}

TEST(BuildPlan, LayersShareBuffers) {
  const size_t few = built({.layers = 2}).plan->buffers.size();
  EXPECT_EQ(built({.layers = 20}).plan->buffers.size(), few);
}

TEST(BuildPlan, TiedOutputIsTheEmbeddingTable) {
  const Built model = built({.tied = true});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const WeightId table = ops_of<EmbedOp>(*model.plan)[0].table;
  EXPECT_EQ(ops_of<MatvecOp>(*model.plan).back().weight, table);
  EXPECT_EQ(weight_bytes_per_token(*model.plan), tensor_bytes(*model.file));
}

TEST(BuildPlan, UntiedOutputIsItsOwn) {
  const Built model = built({.tied = false});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  EXPECT_EQ(weight_name(*model.plan, ops_of<MatvecOp>(*model.plan).back().weight), "output.weight");
  const GgufTensor& table = *model.file->find_tensor("token_embd.weight");
  EXPECT_EQ(weight_bytes_per_token(*model.plan),
            tensor_bytes(*model.file) - table.bytes.size() + table.bytes.size() / table.rows());
}

// Attention, feed-forward and logits: four times a layer something is quantised, and once at the end.
TEST(BuildPlan, EachInputIsQuantisedOnce) {
  EXPECT_EQ(ops_of<QuantiseOp>(*built({.layers = 3}).plan).size(), 3 * 4 + 1u);
  const TinyModel floats = {.matrix_type = TensorType::kF16, .embedding_type = TensorType::kBF16};
  EXPECT_EQ(ops_of<QuantiseOp>(*built(floats).plan).size(), 0u);
}

TEST(BuildPlan, OneInputAsFloatsAndQuantised) {
  const Built model = built({.layers = 1}, {{"blk.0.attn_k.weight", {TensorType::kF16, {64, 32}}}});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const auto matvecs = ops_of<MatvecOp>(*model.plan);
  const auto kind_of_input = [&](size_t i) { return model.plan->buffers[matvecs[i].in].kind; };
  EXPECT_EQ(kind_of_input(0), PlanBuffer::Kind::kQ8);
  EXPECT_EQ(kind_of_input(1), PlanBuffer::Kind::kF32);
  EXPECT_EQ(matvecs[0].in, matvecs[2].in);
}

TEST(BuildPlan, GateAndUpOfDifferentTypes) {
  const Built model = built({.layers = 1}, {{"blk.0.ffn_up.weight", {TensorType::kQ8_0, {64, 96}}}});
  EXPECT_TRUE(model.plan) << message_of(model.plan);
}

TEST(BuildPlan, GateAndUpCannotShareAnInput) {
  const Built model = built({.layers = 1}, {{"blk.0.ffn_up.weight", {TensorType::kF16, {64, 96}}}});
  EXPECT_THAT(message_of(model.plan), HasSubstr("'blk.0.ffn_up.weight' are Q4_0 and F16"));
}

TEST(BuildPlan, BiasesAreAddedWhereTheFileHasThem) {
  const Built model = built({.layers = 1}, {{"blk.0.attn_output.bias", {TensorType::kF32, {64}}}});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const auto matvecs = ops_of<MatvecOp>(*model.plan);
  EXPECT_EQ(matvecs[0].bias, kNone);
  EXPECT_EQ(weight_name(*model.plan, matvecs[3].bias), "blk.0.attn_output.bias");
}

TEST(BuildPlan, GatedBiasIsRefused) {
  const Built model = built({.layers = 1}, {{"blk.0.ffn_gate.bias", {TensorType::kF32, {96}}}});
  EXPECT_THAT(message_of(model.plan), HasSubstr("tensor 'blk.0.ffn_gate.bias': gated layers with a bias"));
}

TEST(BuildPlan, MissingTensorIsNamedWithItsShape) {
  const Built model = built({}, {{"blk.1.ffn_down.weight", {}}});
  ASSERT_FALSE(model.plan);
  EXPECT_EQ(model.plan.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(message_of(model.plan),
            "tensor 'blk.1.ffn_down.weight' is missing; llama models have it, of shape (64, 96)");
}

TEST(BuildPlan, WrongShapesAreNamedWithBoth) {
  const auto error_of = [](const std::string& tensor, std::vector<uint64_t> dims) {
    return message_of(built({.tied = false}, {{tensor, {TensorType::kF32, std::move(dims)}}}).plan);
  };
  EXPECT_EQ(error_of("blk.0.attn_k.weight", {64, 64}),
            "tensor 'blk.0.attn_k.weight' has shape (64, 64); (32, 64) was expected");
  EXPECT_EQ(error_of("blk.1.attn_norm.weight", {63}),
            "tensor 'blk.1.attn_norm.weight' has shape (63); (64) was expected");
  EXPECT_EQ(error_of("output_norm.weight", {64, 2}),
            "tensor 'output_norm.weight' has shape (2, 64); (64) was expected");
  EXPECT_EQ(error_of("token_embd.weight", {64, 287}),
            "tensor 'token_embd.weight' has shape (287, 64); (288, 64) was expected");
  EXPECT_EQ(error_of("output.weight", {64, 289}),
            "tensor 'output.weight' has shape (289, 64); (288, 64) was expected");
}

TEST(BuildPlan, QuantisedVectorIsRefused) {
  const Built model = built({}, {{"output_norm.weight", {TensorType::kQ8_0, {64}}}});
  EXPECT_THAT(message_of(model.plan), HasSubstr("tensor 'output_norm.weight' is Q8_0; F32"));
}

TEST(BuildPlan, UnknownArchitectureListsTheKnown) {
  GgufHeader header;
  header.set("general.architecture", "mamba");
  const Built model{test::gguf_file_bytes(header, {})};
  EXPECT_THAT(message_of(model.plan),
              HasSubstr("'mamba'; halfbyte runs llama, minicpm, qwen2, qwen3, gemma3"));
}

TEST(BuildPlan, UnusedTensorsAreListed) {
  const TensorEdit vector = {TensorType::kF32, {8}};
  const Built model = built({}, {{"blk.0.attn_norm.bias", vector}, {"v.proj.weight", vector}});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  EXPECT_THAT(unused_tensors(*model.file, *model.plan), ElementsAre("blk.0.attn_norm.bias", "v.proj.weight"));
}

TEST(BuildPlan, FrequencyFactorsAreUsedNotListed) {
  const float factors[8] = {1, 1, 1, 1, 2, 4, 8, 8};
  const auto* bytes = reinterpret_cast<const uint8_t*>(factors);
  const Built model = built(
      {},
      {{"rope_freqs.weight", {TensorType::kF32, {8}, std::vector<uint8_t>(bytes, bytes + sizeof factors)}}});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  EXPECT_NEAR(model.plan->rope_tables[0].frequencies[4], 0.01 / 2, 1e-16);
  EXPECT_THAT(unused_tensors(*model.file, *model.plan), ElementsAre());
}

TEST(BuildPlan, FrequencyFactorsOfTheWrongShape) {
  for (const TensorEdit& edit : {TensorEdit{TensorType::kF32, {7}}, TensorEdit{TensorType::kF32, {8, 2}},
                                 TensorEdit{TensorType::kQ8_0, {32}}}) {
    EXPECT_THAT(message_of(built({}, {{"rope_freqs.weight", edit}}).plan),
                HasSubstr("tensor 'rope_freqs.weight' is"));
  }
}

TEST(BuildPlan, GemmaSlidesWhereItsPatternSays) {
  const Built model = built({.architecture = "gemma3", .layers = 4, .sliding_window = 16});
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  std::vector<uint32_t> windows;
  for (const AttentionOp& op : ops_of<AttentionOp>(*model.plan)) windows.push_back(op.window);
  EXPECT_THAT(windows, ElementsAre(16, 0, 16, 0));
}

TEST(BuildPlan, ScalingReachesOnlyLayersThatSeeEverything) {
  TinyModel gemma = {.architecture = "gemma3", .layers = 2};
  gemma.more_metadata = [](GgufHeader& header) {
    header.set("gemma3.rope.scaling.type", "linear");
    header.set("gemma3.rope.scaling.factor", 8.0f);
  };
  const Built model = built(gemma);
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const auto ropes = ops_of<RopeOp>(*model.plan);
  const auto first_frequency = [&](size_t i) {
    return model.plan->rope_tables[ropes[i].rope_table].frequencies[0];
  };
  ASSERT_EQ(ropes.size(), 4u);
  EXPECT_EQ(first_frequency(0), 1.0);
  EXPECT_EQ(first_frequency(1), 1.0);
  EXPECT_EQ(first_frequency(2), 0.125);
  EXPECT_EQ(first_frequency(3), 0.125);
}

TEST(BuildPlan, GemmaCapsItsLogitsWhereTheFileSaysSo) {
  TinyModel gemma = {.architecture = "gemma3", .layers = 1};
  gemma.more_metadata = [](GgufHeader& header) { header.set("gemma3.final_logit_softcapping", 30.0f); };
  const Built model = built(gemma);
  ASSERT_TRUE(model.plan) << message_of(model.plan);
  const auto* cap = std::get_if<SoftcapOp>(&model.plan->ops.back());
  ASSERT_NE(cap, nullptr);
  EXPECT_EQ(cap->cap, 30.0f);
  EXPECT_EQ(cap->buffer, model.plan->logits);
}

TEST(BuildPlan, FactorsOutsideTheContractAreRefusedByTheirKey) {
  TinyModel gemma = {.architecture = "gemma3", .layers = 1};
  gemma.more_metadata = [](GgufHeader& header) { header.set("gemma3.final_logit_softcapping", 1e-30f); };
  EXPECT_THAT(message_of(built(gemma).plan), HasSubstr("'gemma3.final_logit_softcapping' is 1e-30"));
}

TEST(BuildPlan, PairsRotateAsTheArchitectureHasThem) {
  const auto pairing_of = [](const std::string& architecture) {
    return ops_of<RopeOp>(*built({.architecture = architecture}).plan)[0].pairing;
  };
  EXPECT_EQ(pairing_of("llama"), RopeOp::Pairing::kAdjacent);
  EXPECT_EQ(pairing_of("minicpm"), RopeOp::Pairing::kAdjacent);
  EXPECT_EQ(pairing_of("qwen2"), RopeOp::Pairing::kHalves);
  EXPECT_EQ(pairing_of("qwen3"), RopeOp::Pairing::kHalves);
  EXPECT_EQ(pairing_of("gemma3"), RopeOp::Pairing::kHalves);
}

}  // namespace
}  // namespace hb
