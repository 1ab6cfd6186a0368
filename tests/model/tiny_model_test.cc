#include "model/tiny_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/gguf.h"
#include "model/hparams.h"
#include "model/temp_folder.h"

namespace hb::test {
namespace {

constexpr const char* kArchitectures[] = {"llama", "minicpm", "qwen2", "qwen3", "gemma3"};
constexpr TensorType kTypes[] = {TensorType::kF32,    TensorType::kF16,  TensorType::kBF16, TensorType::kQ4_0,
                                 TensorType::kQ4_1,   TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0,
                                 TensorType::kIQ4_NL, TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K,
                                 TensorType::kQ5_K,   TensorType::kQ6_K};

class TinyModelTest : public testing::TestWithParam<std::tuple<const char*, TensorType>> {};

TEST_P(TinyModelTest, ReadsBackAsAsked) {
  const auto [architecture, type] = GetParam();
  const TinyModel model = tiny_model_for(architecture, type);
  const auto bytes = make_tiny_model(model);
  const auto file = GgufFile::parse(bytes);
  ASSERT_TRUE(file) << file.error().message;
  const auto h = read_hyperparameters(**file);
  ASSERT_TRUE(h) << h.error().message;
  EXPECT_STREQ(architecture_name(h->architecture), architecture);
  EXPECT_EQ(h->vocab, model.vocab);
  EXPECT_EQ(h->layers, model.layers);
  EXPECT_TRUE(h->tied_output);
  EXPECT_EQ(h->sliding_window, h->architecture == Architecture::kGemma3 ? 16u : 0u);
  EXPECT_TRUE(require_tensor(**file, "token_embd.weight", {model.hidden, model.vocab}));
  const auto down = require_tensor(**file, "blk.1.ffn_down.weight", {model.ffn, model.hidden});
  ASSERT_TRUE(down) << down.error().message;
  EXPECT_EQ((*down)->type, type);
  EXPECT_EQ((*file)->find("tokenizer.ggml.tokens")->count(), model.vocab);
}

INSTANTIATE_TEST_SUITE_P(All, TinyModelTest,
                         testing::Combine(testing::ValuesIn(kArchitectures), testing::ValuesIn(kTypes)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  tensor_type_name(std::get<1>(info.param));
                         });

TEST(TinyModelTest, FileAndMemoryAreTheSameAndRepeat) {
  TempFolder folder;
  TinyModel model;
  model.tied = false;
  ASSERT_TRUE(write_tiny_model(folder.file("tiny.gguf"), model));
  const auto mapped = MappedFile::open(folder.file("tiny.gguf"));
  ASSERT_TRUE(mapped);
  auto bytes = make_tiny_model(model);
  ASSERT_GE((*mapped)->bytes().size(), bytes.size());
  EXPECT_EQ(std::memcmp((*mapped)->bytes().data(), bytes.data(), bytes.size()), 0);
  EXPECT_FALSE(read_hyperparameters(**GgufFile::open(folder.file("tiny.gguf")))->tied_output);
  EXPECT_EQ(make_tiny_model(model), bytes);
  model.seed = 2;
  EXPECT_NE(make_tiny_model(model), bytes);
}

TEST(TinyModelTest, EveryTokenIsAnother) {
  for (const char* architecture : {"llama", "gemma3"}) {
    const auto bytes = make_tiny_model(tiny_model_for(architecture, TensorType::kQ4_0));
    const auto file = *GgufFile::parse(bytes);
    const auto tokens = *file->find("tokenizer.ggml.tokens")->as_strings();
    EXPECT_EQ(std::set(tokens.begin(), tokens.end()).size(), tokens.size());
  }
}

// 0 is the exponent of zeros and denormals, 31 of infinity and NaN.
TEST(TinyModelTest, ScalesAreZeroOrNormal) {
  const auto bytes = random_tensor(TensorType::kQ6_K, 256, 1000, 3);
  size_t zeros = 0;
  for (size_t block = 0; block < bytes.size(); block += 210) {
    uint16_t half = 0;
    std::memcpy(&half, &bytes[block + 208], sizeof half);
    const int exponent = (half >> 10) & 31;
    zeros += (half & 0x7fff) == 0;
    EXPECT_TRUE((half & 0x7fff) == 0 || (exponent > 0 && exponent < 31));
  }
  EXPECT_GT(zeros, 0u);
  EXPECT_LT(zeros, 100u);
}

}  // namespace
}  // namespace hb::test
