// Answers through the C API.
#include <cmath>
#include <limits>

#include "api/api_fixture.h"

namespace hb::test {
namespace {

// What a callback saw.
struct Heard {
  std::string text = {};
  std::vector<int32_t> tokens = {};
  std::vector<float> logprobs = {};
  std::vector<std::vector<hb_token_logprob>> likeliest = {};
  int ends = 0;
  size_t stop_after = SIZE_MAX;  // tokens

  static int hear(void* user, const hb_token_event* event) {
    auto& heard = *static_cast<Heard*>(user);
    EXPECT_EQ(event->struct_size, sizeof(hb_token_event));
    EXPECT_EQ(event->text[event->text_length], '\0');
    heard.text.append(event->text, event->text_length);
    if (event->token < 0) {
      ++heard.ends;
      return 0;
    }
    heard.tokens.push_back(event->token);
    heard.logprobs.push_back(event->logprob);
    heard.likeliest.emplace_back(event->likeliest, event->likeliest + event->likeliest_count);
    return heard.tokens.size() >= heard.stop_after ? 1 : 0;
  }
};

class GenerateApi : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    hb_generate_options_init(&options_, sizeof(options_));
    options_.temperature = 0;
    options_.max_tokens = 8;
    options_.ignore_end = 1;
    options_.on_token = Heard::hear;
    options_.user = &heard_;
    stats_.struct_size = sizeof(stats_);
  }

  hb_status generate(hb_session* session) {
    heard_ = {.stop_after = heard_.stop_after};
    return hb_generate(session, prompt_.data(), prompt_.size(), &options_, &stats_, &error_);
  }
  hb_status generate() { return generate(new_session().get()); }

  std::vector<int32_t> prompt_ = some_tokens(6);
  hb_generate_options options_;
  hb_generate_stats stats_ = {};
  Heard heard_;
};

TEST_F(GenerateApi, AnswersAndCounts) {
  const SessionHandle session = new_session();
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;
  EXPECT_EQ(heard_.tokens.size(), 8u);
  EXPECT_EQ(heard_.ends, 1);
  EXPECT_TRUE(std::isnan(heard_.logprobs[0]));
  EXPECT_EQ(stats_.finish, HB_FINISH_LENGTH);
  EXPECT_EQ(stats_.prompt_tokens, 6u);
  EXPECT_EQ(stats_.cached_tokens, 0u);
  EXPECT_EQ(stats_.decoded_tokens, 8u);
  EXPECT_GT(stats_.prompt_seconds, 0);
  EXPECT_GT(stats_.decode_seconds, 0);
  EXPECT_EQ(stats_.logits_hash, hb_session_logits_hash(session.get()));
  size_t count = 0;
  hb_session_tokens(session.get(), &count);
  EXPECT_EQ(count, 14u);

  const std::vector<int32_t> first = heard_.tokens;
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;
  EXPECT_EQ(heard_.tokens, first);
  EXPECT_EQ(stats_.cached_tokens, 5u);  // the last one again, for its logits
}

TEST_F(GenerateApi, DefaultsDoNotNeedAnybody) {
  const SessionHandle session = new_session();
  EXPECT_EQ(hb_generate(session.get(), prompt_.data(), prompt_.size(), nullptr, nullptr, &error_), HB_OK)
      << error_.message;
}

TEST_F(GenerateApi, EndsWhenTheContextIsFull) {
  hb_session_options session_options;
  hb_session_options_init(&session_options, sizeof(session_options));
  session_options.context = 16;
  const SessionHandle session = new_session(&session_options);
  options_.max_tokens = 0;
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;
  EXPECT_EQ(stats_.finish, HB_FINISH_LENGTH);
  EXPECT_EQ(stats_.decoded_tokens, 10u);

  prompt_ = some_tokens(16);
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;
  EXPECT_EQ(stats_.decoded_tokens, 0u);
  prompt_ = some_tokens(17);
  expect_error(generate(session.get()), HB_INVALID_ARGUMENT, "context of 16");
}

TEST_F(GenerateApi, SeedsDecide) {
  options_.temperature = 5;
  options_.seed = 1;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  const std::vector<int32_t> first = heard_.tokens;
  ASSERT_EQ(generate(), HB_OK);
  EXPECT_EQ(heard_.tokens, first);
  options_.seed = 2;
  ASSERT_EQ(generate(), HB_OK);
  EXPECT_NE(heard_.tokens, first);
}

TEST_F(GenerateApi, LogprobsOnRequest) {
  options_.logprobs = 3;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  ASSERT_EQ(heard_.likeliest[0].size(), 3u);
  EXPECT_EQ(heard_.likeliest[0][0].token, heard_.tokens[0]);  // greedy
  EXPECT_EQ(heard_.likeliest[0][0].logprob, heard_.logprobs[0]);
  EXPECT_LE(heard_.logprobs[0], 0);
  EXPECT_GE(heard_.likeliest[0][0].logprob, heard_.likeliest[0][1].logprob);
}

TEST_F(GenerateApi, BiasBansAndForces) {
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  const int32_t favourite = heard_.tokens[0];
  const int32_t tokens[] = {favourite, 77};
  const float values[] = {-std::numeric_limits<float>::infinity(), 1000};
  options_.bias_tokens = tokens;
  options_.bias_values = values;
  options_.bias_count = 1;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  for (const int32_t token : heard_.tokens) EXPECT_NE(token, favourite);
  options_.bias_count = 2;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  EXPECT_EQ(heard_.tokens, std::vector<int32_t>(8, 77));
}

TEST_F(GenerateApi, StopTextsEndTheAnswer) {
  size_t count = 0;
  int32_t letter = 0;
  ASSERT_EQ(hb_tokenize(model_.get(), "z", 1, 0, &letter, 1, &count, &error_), HB_OK) << error_.message;
  const float value = 1000;
  options_.bias_tokens = &letter;
  options_.bias_values = &value;
  options_.bias_count = 1;
  const char* stops[] = {"never", "zzz"};
  options_.stops = stops;
  options_.stop_count = 2;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  EXPECT_EQ(stats_.finish, HB_FINISH_STOP);
  EXPECT_EQ(heard_.tokens.size(), 3u);
  EXPECT_EQ(heard_.text, "");
}

TEST_F(GenerateApi, TheModelsEndEndsIt) {
  const int32_t end = 2;
  const float value = 1000;
  options_.bias_tokens = &end;
  options_.bias_values = &value;
  options_.bias_count = 1;
  options_.ignore_end = 0;
  ASSERT_EQ(generate(), HB_OK) << error_.message;
  EXPECT_EQ(stats_.finish, HB_FINISH_END);
  EXPECT_TRUE(heard_.tokens.empty());
}

TEST_F(GenerateApi, TheCallbackStopsIt) {
  heard_.stop_after = 3;
  const SessionHandle session = new_session();
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;
  EXPECT_EQ(stats_.finish, HB_FINISH_CANCELLED);
  EXPECT_EQ(heard_.tokens.size(), 3u);
  heard_.stop_after = SIZE_MAX;
  ASSERT_EQ(generate(session.get()), HB_OK) << error_.message;  // the session is as good as before
  EXPECT_EQ(heard_.tokens.size(), 8u);
}

TEST_F(GenerateApi, ProgressStopsThePrompt) {
  hb_session_options session_options;
  hb_session_options_init(&session_options, sizeof(session_options));
  session_options.batch = 2;
  const SessionHandle session = new_session(&session_options);
  options_.progress = [](void*, uint64_t done, uint64_t) { return done >= 4 ? 1 : 0; };
  EXPECT_EQ(generate(session.get()), HB_CANCELLED);
  EXPECT_TRUE(heard_.tokens.empty());
}

TEST_F(GenerateApi, MisuseIsAnError) {
  const SessionHandle session = new_session();
  const hb_generate_options good = options_;
  const auto expect_refused = [&](const char* part) {
    expect_error(generate(session.get()), HB_INVALID_ARGUMENT, part);
    options_ = good;
  };
  options_.temperature = -1;
  expect_refused("temperature");
  options_.top_p = std::numeric_limits<float>::quiet_NaN();
  expect_refused("top_p");
  options_.ignore_end = 2;
  expect_refused("ignore_end");
  options_.stop_count = 1;
  expect_refused("stops");
  const char* nothing = nullptr;
  options_.stops = &nothing;
  options_.stop_count = 1;
  expect_refused("stop text 0");
  const char* empty = "";
  options_.stops = &empty;
  options_.stop_count = 1;
  expect_refused("stop");
  options_.bias_count = 1;
  expect_refused("bias_tokens");
  const int32_t outside = 288;
  const float value = 0;
  options_.bias_tokens = &outside;
  options_.bias_values = &value;
  options_.bias_count = 1;
  expect_refused("288");
  options_.struct_size = 1;
  expect_refused("struct_size");
  stats_.struct_size = 0;
  expect_refused("hb_generate_stats");
  stats_.struct_size = sizeof(stats_);
  prompt_.clear();
  expect_refused("prompt");
  prompt_ = {-5};
  expect_refused("-5");
  EXPECT_EQ(hb_generate(nullptr, &outside, 1, nullptr, nullptr, nullptr), HB_INVALID_ARGUMENT);
  EXPECT_EQ(hb_generate(session.get(), nullptr, 1, nullptr, nullptr, nullptr), HB_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hb::test
