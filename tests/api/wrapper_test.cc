// The C++ wrapper adds owners and exceptions; that the calls arrive is what these tests see.
#include <halfbyte/halfbyte.hpp>

#include "api/api_fixture.h"

namespace hb::test {
namespace {

class Wrapper : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("tiny.gguf");
    ASSERT_TRUE(write_tiny_model(path_, {}));
  }
  static halfbyte::ModelOptions one_thread() {
    halfbyte::ModelOptions options;
    options.threads = 1;
    return options;
  }
  static halfbyte::GenerateOptions greedy() {
    halfbyte::GenerateOptions options;
    options.temperature = 0;
    options.max_tokens = 6;
    options.ignore_end = 1;
    return options;
  }

  TempFolder folder_;
  std::string path_;
};

TEST_F(Wrapper, TextAndModel) {
  uint64_t last = 0;
  const halfbyte::Model model(path_, one_thread(), [&](uint64_t done, uint64_t) {
    last = done;
    return true;
  });
  EXPECT_GT(last, 0u);
  EXPECT_EQ(model.info().vocab_size, 288);
  EXPECT_EQ(model.special_tokens().eos, 2);
  EXPECT_TRUE(model.is_end(2));
  EXPECT_EQ(model.detokenize(model.tokenize("Hello")), "Hello");
  EXPECT_EQ(model.piece(2, HB_RENDER_CONTROL), "<|im_end|>");
  const std::vector<hb_message> messages = {{"user", "Hi"}};
  EXPECT_EQ(model.chat_prompt(messages), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(model.chat_tokens(messages).front(), 1);
}

TEST_F(Wrapper, SessionsAndAnswers) {
  const halfbyte::Model model(path_, one_thread());
  halfbyte::Session session(model);
  const std::vector<int32_t> prompt = model.tokenize("Hello");
  const halfbyte::Answer answer = session.generate(prompt, greedy());
  EXPECT_EQ(answer.tokens.size(), 6u);
  EXPECT_EQ(answer.stats.decoded_tokens, 6u);
  EXPECT_EQ(answer.stats.logits_hash, session.logits_hash());
  EXPECT_EQ(session.tokens().size(), prompt.size() + 6);
  EXPECT_EQ(session.logits().size(), 288u);
  EXPECT_EQ(session.context(), 256u);

  session.save(folder_.file("s"));
  halfbyte::Session other(model);
  other.load(folder_.file("s"));
  EXPECT_EQ(other.logits_hash(), session.logits_hash());
  EXPECT_EQ(other.set_tokens(prompt), prompt.size() - 1);
  other.truncate(0);
  other.append(prompt);
  EXPECT_EQ(other.tokens().size(), prompt.size());
}

TEST_F(Wrapper, StopsAndBias) {
  const halfbyte::Model model(path_, one_thread());
  halfbyte::Session session(model);
  halfbyte::GenerateOptions options = greedy();
  options.logit_bias[model.tokenize("z", 0).front()] = 1000;
  options.stop_texts = {"zz"};
  const halfbyte::Answer answer = session.generate(model.tokenize("a"), options);
  EXPECT_EQ(answer.stats.finish, HB_FINISH_STOP);
  EXPECT_EQ(answer.text, "");
}

TEST_F(Wrapper, ErrorsAreExceptions) {
  try {
    const halfbyte::Model model(folder_.file("none.gguf"));
    FAIL();
  } catch (const halfbyte::Error& error) {
    EXPECT_EQ(error.status(), HB_NOT_FOUND);
    EXPECT_NE(std::string(error.what()).find("none.gguf"), std::string::npos);
  }
}

TEST_F(Wrapper, CallbacksMayThrow) {
  struct Mine {};
  const halfbyte::Model model(path_, one_thread());
  halfbyte::Session session(model);
  const std::vector<int32_t> prompt = model.tokenize("Hello");
  EXPECT_THROW(session.generate(prompt, greedy(), [](const hb_token_event&) -> bool { throw Mine(); }), Mine);
  EXPECT_THROW(session.append(prompt, [](uint64_t, uint64_t) -> bool { throw Mine(); }), Mine);
  EXPECT_THROW(halfbyte::Model(path_, one_thread(), [](uint64_t, uint64_t) -> bool { throw Mine(); }), Mine);
  EXPECT_EQ(session.generate(prompt, greedy()).tokens.size(), 6u);
}

TEST_F(Wrapper, MovedFromHandlesAreErrors) {
  halfbyte::Model model(path_, one_thread());
  const halfbyte::Model owner = std::move(model);
  EXPECT_THROW(model.info(), halfbyte::Error);
  EXPECT_EQ(owner.info().vocab_size, 288);
}

}  // namespace
}  // namespace hb::test
