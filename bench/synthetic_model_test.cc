// Random-weight models load, run, and keep their activations in a sane range.
#include "synthetic_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "backend/cpu/cpu_backend.h"
#include "engine/model.h"
#include "engine/session.h"
#include "model/temp_folder.h"
#include "model/tiny_model.h"
#include "quant/format_traits.h"

namespace hb::bench {
namespace {

constexpr uint32_t kVocab = 1200;  // other than the tokenizer's, which is padded

class SyntheticModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string tiny = folder_.file("tiny.gguf");
    ASSERT_TRUE(test::write_tiny_model(tiny, test::tiny_model_for("llama", TensorType::kQ4_0)));
    tokenizer_ = GgufFile::open(tiny).value();
  }

  SyntheticModel small(TensorType type) const {
    return {.hidden = 256,
            .ffn = 512,
            .layers = 6,
            .heads = 4,
            .kv_heads = 2,
            .vocab = kVocab,
            .context = 64,
            .matrices = type,
            .embedding = type,
            .output = type};
  }

  test::TempFolder folder_;
  std::unique_ptr<GgufFile> tokenizer_;
};

TEST_F(SyntheticModelTest, EveryTypeLoadsAndItsLogitsAreOfOrderOne) {
  for (const FormatTraits& format : kFormatTraits) {
    SCOPED_TRACE(tensor_type_name(format.type));
    const std::string path = folder_.file("model.gguf");
    ASSERT_TRUE(write_synthetic_model(path, small(format.type), *tokenizer_));
    const auto model = Model::load(path, make_cpu_backend({}).value());
    ASSERT_TRUE(model) << model.error().message;
    Session session = Session::create(*model, {.context = 64, .batch = 64}).value();
    const std::vector<int32_t> tokens = {1, 17, kVocab - 1};
    ASSERT_TRUE(session.append(tokens));
    ASSERT_EQ(session.logits().size(), kVocab);
    double squares = 0;
    for (const float logit : session.logits()) squares += logit * logit;
    const double deviation = std::sqrt(squares / kVocab);
    EXPECT_GT(deviation, 0.5);
    EXPECT_LT(deviation, 2.0);
  }
}

TEST_F(SyntheticModelTest, VocabularyIsCutWithItsMerges) {
  SyntheticModel model = small(TensorType::kQ4_0);
  model.vocab = 262;  // 3 special tokens, 256 bytes, 3 of 7 merges
  const std::string path = folder_.file("cut.gguf");
  ASSERT_TRUE(write_synthetic_model(path, model, *tokenizer_));
  const auto file = GgufFile::open(path).value();
  EXPECT_EQ(file->find("tokenizer.ggml.tokens")->count(), 262u);
  EXPECT_EQ(file->find("tokenizer.ggml.merges")->count(), 3u);
}

TEST_F(SyntheticModelTest, SizesThatDoNotFitAreRefused) {
  SyntheticModel model = small(TensorType::kQ4_K);
  model.ffn = 1504;
  const Status status = write_synthetic_model(folder_.file("bad.gguf"), model, *tokenizer_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(status.error().message.find("rows of 1504 do not fit Q4_K"), std::string::npos)
      << status.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("bad.gguf")));
}

}  // namespace
}  // namespace hb::bench
