#include "lab/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/ref/ref_backend.h"
#include "model/temp_folder.h"
#include "model/tiny_model.h"

namespace hb {
namespace {

TEST(Perplexity, LogProbabilityIsThatOfTheSoftmax) {
  const std::vector<float> logits = {1.0f, -2.5f, 0.25f, 7.0f, -80.0f};
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  for (int32_t token = 0; token < 5; ++token) {
    EXPECT_NEAR(log_probability(logits, token), logits[static_cast<size_t>(token)] - std::log(sum), 1e-9);
  }
}

TEST(Perplexity, ScoreIsTheMeanAndItsError) {
  PerplexityScore score;
  EXPECT_EQ(score.perplexity(), 1);
  for (const double nll : {1.0, 2.0, 3.0}) score.add(nll);
  EXPECT_DOUBLE_EQ(score.perplexity(), std::exp(2.0));
  EXPECT_DOUBLE_EQ(score.standard_error(), std::sqrt(2.0 / 3 / 2) * std::exp(2.0));
}

class PerplexityOfModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string path = folder_.file("tiny.gguf");
    ASSERT_TRUE(test::write_tiny_model(path, test::tiny_model_for(GetParam(), TensorType::kQ4_0)));
    auto loaded = Model::load(path, make_ref_backend());
    ASSERT_TRUE(loaded) << loaded.error().message;
    model_ = *loaded;
  }
  test::TempFolder folder_;
  std::shared_ptr<const Model> model_;
};

TEST_P(PerplexityOfModel, ScoresTheSecondHalfOfEachChunk) {
  const Tokenizer& tokenizer = model_->tokenizer();
  std::vector<int32_t> tokens;
  for (int32_t i = 0; i < 20; ++i) tokens.push_back(10 + i * 7 % 90);
  const auto chunks = perplexity_chunks(tokens, 9, tokenizer);
  ASSERT_TRUE(chunks);
  ASSERT_EQ(chunks->size(), 2u);
  EXPECT_EQ((*chunks)[1][0], tokenizer.adds_bos() ? *tokenizer.bos() : tokens[9]);
  EXPECT_EQ((*chunks)[1][1], tokens[10]);

  Session session = std::move(*Session::create(model_, {.context = 9, .batch = 4}));
  PerplexityScore score, expected;
  for (const auto& chunk : *chunks) {
    ASSERT_TRUE(score_chunk(session, chunk, score));
    // Position i predicts token i + 1, for i from n/2 to n - 2.
    for (size_t i = 4; i < 8; ++i) {
      Session one = std::move(*Session::create(model_, {.context = 9}));
      ASSERT_TRUE(one.append(std::span(chunk).first(i + 1)));
      expected.add(-log_probability(one.logits(), chunk[i + 1]));
    }
  }
  EXPECT_EQ(score.count(), 8u);
  EXPECT_EQ(score.perplexity(), expected.perplexity());
}

TEST_P(PerplexityOfModel, TooShortTextsAndChunksAreRefused) {
  const std::vector<int32_t> tokens(8, 5);
  EXPECT_EQ(perplexity_chunks(tokens, 9, model_->tokenizer()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(perplexity_chunks(tokens, 3, model_->tokenizer()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(perplexity_chunks(tokens, 8, model_->tokenizer()));
}

INSTANTIATE_TEST_SUITE_P(Models, PerplexityOfModel, testing::Values("llama", "gemma3"));

}  // namespace
}  // namespace hb
