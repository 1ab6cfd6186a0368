// Answers: the same on every backend, and ended for the right reason with the right text.
#include "engine/generator.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "engine/sessions.h"

namespace hb::test {
namespace {

constexpr uint32_t kVocab = 288;

SamplerOptions greedy() {
  SamplerOptions options;
  options.temperature = 0.0f;
  return options;
}

GenerateOptions tokens_at_most(uint32_t count, SamplerOptions sampler = greedy()) {
  GenerateOptions options;
  options.sampler = std::move(sampler);
  options.max_tokens = count;
  options.ignore_end = true;
  return options;
}

class GeneratorTest : public ::testing::Test {
 protected:
  ModelFile file_{{.architecture = "llama"}};
  std::shared_ptr<const Model> model_ = load(file_.path(), cpu_backend(2));
  std::vector<int32_t> prompt_ = random_tokens(20, kVocab, 1);

  Session session(uint32_t context = 128, bool shift = false) const {
    return new_session(model_, {.context = context, .shift = shift});
  }
  Answer answer(Session& session, const GenerateOptions& options, const OnEvent& on_event = nullptr) const {
    auto answer = generate(session, prompt_, options, on_event);
    if (!answer) ADD_FAILURE() << answer.error().message;
    return answer ? std::move(*answer) : Answer();
  }
  // Of a token that the greedy answer holds.
  std::string text_of(std::span<const int32_t> tokens) const { return model_->tokenizer().decode(tokens); }
};

TEST_F(GeneratorTest, GreedyAnswersAreTheSameEverywhere) {
  for (const char* architecture : {"llama", "gemma3"}) {
    const ModelFile file({.architecture = architecture});
    std::vector<std::shared_ptr<Backend>> backends = {reference_backend()};
    for (const std::string& isa : usable_isas()) {
      for (const uint32_t threads : {1u, 5u}) backends.push_back(cpu_backend(threads, isa));
    }
    std::optional<Answer> expected;
    for (const auto& backend : backends) {
      SCOPED_TRACE(backend->description());
      Session s = new_session(load(file.path(), backend), {.context = 128, .batch = 7});
      Answer a = answer(s, tokens_at_most(40));
      EXPECT_EQ(a.tokens.size(), 40u);
      EXPECT_EQ(a.finish, FinishReason::kLength);
      if (!expected)
        expected = std::move(a);
      else {
        EXPECT_EQ(a.tokens, expected->tokens);
        EXPECT_EQ(a.text, expected->text);
        EXPECT_EQ(a.stats.logits_hash, expected->stats.logits_hash);
      }
    }
  }
}

TEST_F(GeneratorTest, TokensInARowChangeNothing) {
  const GenerateOptions one_by_one = tokens_at_most(21);
  Session expected_session = session();
  const Answer expected = answer(expected_session, one_by_one);
  for (const uint32_t count : {2u, 3u, 7u, 64u}) {
    SCOPED_TRACE(count);
    GenerateOptions options = one_by_one;
    options.tokens_per_submit = count;
    Session s = session();
    const Answer a = answer(s, options);
    EXPECT_EQ(a.tokens, expected.tokens);
    EXPECT_EQ(a.text, expected.text);
    EXPECT_EQ(a.stats.logits_hash, expected.stats.logits_hash);
    EXPECT_EQ(s.tokens(), expected_session.tokens());
    options.sampler.temperature = 1.0f;  // draws need the host
    Session drawing = session(), drawing_alone = session();
    EXPECT_EQ(answer(drawing, options).tokens,
              answer(drawing_alone, tokens_at_most(21, options.sampler)).tokens);
  }
}

TEST_F(GeneratorTest, TokensInARowBeyondTheEndAreForgotten) {
  for (const uint32_t kept : {1u, 4u, 5u, 6u}) {
    SCOPED_TRACE(kept);
    const auto stop_after = [&](uint32_t count) {
      uint32_t seen = 0;
      GenerateOptions options = tokens_at_most(20);
      options.tokens_per_submit = count;
      Session s = session();
      Answer a = answer(s, options, [&](const TokenEvent& e) { return e.token == nullptr || ++seen < kept; });
      EXPECT_EQ(a.finish, FinishReason::kCancelled);
      return std::pair(a.stats.logits_hash, s.tokens());
    };
    EXPECT_EQ(stop_after(5), stop_after(1));
  }
}

// The end token's number lies behind its key and type.
void set_end_token(const std::string& path, int32_t id) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::string key = "tokenizer.ggml.eos_token_id";
  file.seekp(static_cast<std::streamoff>(bytes.find(key) + key.size() + 4));
  file.write(reinterpret_cast<const char*>(&id), sizeof id);
}

TEST_F(GeneratorTest, TokensInARowEndAtAnEndToken) {
  Session whole_session = session();
  const Answer whole = answer(whole_session, tokens_at_most(20));
  const int32_t end = whole.tokens[9];
  const ModelFile file({.architecture = "llama"});
  set_end_token(file.path(), end);
  const auto model = load(file.path(), cpu_backend(2));
  GenerateOptions options = tokens_at_most(20);
  options.ignore_end = false;
  std::optional<Answer> expected;
  for (const uint32_t count : {1u, 4u, 5u, 20u}) {
    options.tokens_per_submit = count;
    Session s = new_session(model, {.context = 128});
    Answer a = answer(s, options);
    EXPECT_EQ(a.finish, FinishReason::kEnd);
    EXPECT_LT(a.tokens.size(), 10u);
    if (!expected) expected = a;
    EXPECT_EQ(a.tokens, expected->tokens);
    EXPECT_EQ(a.stats.logits_hash, expected->stats.logits_hash);
    EXPECT_EQ(s.tokens().size(), prompt_.size() + a.tokens.size());
  }
}

TEST_F(GeneratorTest, TokensInARowEndWithTheContext) {
  for (const bool shift : {false, true}) {
    Session one = session(32, shift), many = session(32, shift);
    GenerateOptions options = tokens_at_most(40);
    const Answer expected = answer(one, options);
    options.tokens_per_submit = 5;
    const Answer a = answer(many, options);
    EXPECT_EQ(a.tokens, expected.tokens);
    EXPECT_EQ(a.finish, expected.finish);
    EXPECT_EQ(many.tokens(), one.tokens());
    EXPECT_EQ(a.stats.logits_hash, expected.stats.logits_hash);
  }
}

TEST_F(GeneratorTest, TheSessionHoldsPromptAndAnswer) {
  Session s = session();
  std::string streamed;
  std::vector<int32_t> ids;
  const Answer a = answer(s, tokens_at_most(12), [&](const TokenEvent& event) {
    streamed += event.text;
    if (event.token != nullptr) ids.push_back(event.token->id);
    return true;
  });
  EXPECT_EQ(streamed, a.text);
  EXPECT_EQ(ids, a.tokens);
  std::vector<int32_t> whole = prompt_;
  whole.insert(whole.end(), a.tokens.begin(), a.tokens.end());
  EXPECT_EQ(s.tokens(), whole);
  Session fresh = session();
  ASSERT_TRUE(fresh.append(whole));
  EXPECT_TRUE(same_bits(fresh.logits(), s.logits()));
  EXPECT_EQ(a.stats.logits_hash, hash_logits(fresh.logits()));
  EXPECT_EQ(a.stats.prompt_tokens, prompt_.size());
  EXPECT_EQ(a.stats.cached_tokens, 0u);
  EXPECT_EQ(a.stats.decoded_tokens, 12u);
  prompt_ = whole;
  EXPECT_EQ(answer(s, tokens_at_most(1)).stats.cached_tokens, whole.size());
}

TEST_F(GeneratorTest, SamplingRepeatsWithItsSeed) {
  SamplerOptions sampler;
  sampler.temperature = 1.5f;
  sampler.seed = 7;
  sampler.repetition_penalty = 1.1f;
  Session s = session(), t = session();
  const auto first = answer(s, tokens_at_most(50, sampler)).tokens;
  EXPECT_EQ(answer(s, tokens_at_most(50, sampler)).tokens, first);  // over a cached prompt
  EXPECT_EQ(answer(t, tokens_at_most(50, sampler)).tokens, first);
  sampler.seed = 8;
  EXPECT_NE(answer(t, tokens_at_most(50, sampler)).tokens, first);
}

TEST_F(GeneratorTest, EndsBeforeAStopString) {
  Session s = session();
  const Answer whole = answer(s, tokens_at_most(40));
  const std::string text = whole.text;
  ASSERT_GT(text.size(), 12u);
  GenerateOptions options = tokens_at_most(40);
  options.stops = {text.substr(text.size() / 2, 5)};
  const Answer stopped = answer(s, options);
  EXPECT_EQ(stopped.finish, FinishReason::kStop);
  EXPECT_EQ(stopped.text, text.substr(0, text.find(options.stops[0])));
  EXPECT_LT(stopped.tokens.size(), whole.tokens.size());
  options.stops = {"this is not in it"};
  EXPECT_EQ(answer(s, options).text, text);
}

TEST_F(GeneratorTest, EndsAtAnEndToken) {
  const auto end = model_->tokenizer().eos();
  ASSERT_TRUE(end);
  GenerateOptions options = tokens_at_most(10);
  options.ignore_end = false;
  options.sampler.logit_bias[*end] = 1e6f;
  Session s = session();
  const Answer ended = answer(s, options);
  EXPECT_EQ(ended.finish, FinishReason::kEnd);
  EXPECT_TRUE(ended.tokens.empty());
  EXPECT_EQ(s.tokens(), prompt_);
  options.ignore_end = true;
  const Answer ignored = answer(s, options);
  EXPECT_EQ(ignored.finish, FinishReason::kLength);
  EXPECT_EQ(ignored.tokens, std::vector<int32_t>(10, *end));
}

TEST_F(GeneratorTest, StopsWhenTheCallerSaysSo) {
  Session s = session();
  int calls = 0;
  const Answer a = answer(s, tokens_at_most(40), [&calls](const TokenEvent&) { return ++calls < 3; });
  EXPECT_EQ(a.finish, FinishReason::kCancelled);
  EXPECT_EQ(a.tokens.size(), 3u);
  EXPECT_EQ(s.tokens().size(), prompt_.size() + 3);
  Session t = new_session(model_, {.context = 128, .batch = 5});
  const auto none =
      generate(t, prompt_, tokens_at_most(4), nullptr, [](uint32_t, uint32_t) { return false; });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kCancelled);
}

// The prompt fills the context with 0, 1, … positions to spare.
TEST_F(GeneratorTest, AFullContextEndsTheAnswerAndIsNoError) {
  for (const uint32_t spare : {0u, 1u, 13u}) {
    Session s = session(static_cast<uint32_t>(prompt_.size()) + spare);
    const Answer a = answer(s, tokens_at_most(0));
    EXPECT_EQ(a.finish, FinishReason::kLength);
    EXPECT_EQ(a.tokens.size(), spare);
    EXPECT_TRUE(s.is_full());
  }
}

TEST_F(GeneratorTest, AShiftingSessionAnswersBeyondItsContext) {
  Session s = session(32, true);
  const Answer a = answer(s, tokens_at_most(100));
  EXPECT_EQ(a.finish, FinishReason::kLength);
  EXPECT_EQ(a.tokens.size(), 100u);
  Session fresh = session();
  ASSERT_TRUE(fresh.append(std::vector<int32_t>(s.tokens())));
  EXPECT_TRUE(same_bits(fresh.logits(), s.logits()));
}

TEST_F(GeneratorTest, RefusesWhatCannotBe) {
  Session s = session(16);
  const auto code = [&s](const std::vector<int32_t>& prompt, const GenerateOptions& options) {
    const auto answer = generate(s, prompt, options, nullptr);
    return answer ? std::nullopt : std::optional(answer.error().code);
  };
  EXPECT_EQ(code({}, tokens_at_most(1)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(prompt_, tokens_at_most(1)), ErrorCode::kInvalidArgument);  // longer than the context
  EXPECT_EQ(code({1, -1}, tokens_at_most(1)), ErrorCode::kInvalidArgument);
  SamplerOptions bad;
  bad.temperature = -1.0f;
  EXPECT_EQ(code({1}, tokens_at_most(1, bad)), ErrorCode::kInvalidArgument);
  GenerateOptions stops = tokens_at_most(1);
  stops.stops = {""};
  EXPECT_EQ(code({1}, stops), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hb::test
