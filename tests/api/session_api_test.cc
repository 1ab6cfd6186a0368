// Sessions: tokens in, logits out, and who may touch them when.
#include <atomic>
#include <thread>

#include "api/api_fixture.h"

namespace hb::test {
namespace {

class SessionApi : public ApiTest {
 protected:
  hb_status append(hb_session* session, const std::vector<int32_t>& tokens) {
    return hb_session_append(session, tokens.data(), tokens.size(), nullptr, nullptr, &error_);
  }
  uint64_t hash_of(const std::vector<int32_t>& tokens) {
    const SessionHandle session = new_session();
    EXPECT_EQ(append(session.get(), tokens), HB_OK) << error_.message;
    return hb_session_logits_hash(session.get());
  }
  static std::vector<int32_t> tokens_of(const hb_session* session) {
    size_t count = 0;
    const int32_t* tokens = hb_session_tokens(session, &count);
    return {tokens, tokens + count};
  }
};

TEST_F(SessionApi, StartsEmptyAndGivesLogits) {
  const SessionHandle session = new_session();
  EXPECT_EQ(hb_session_context(session.get()), 256u);  // the tiny model's, below the default
  size_t count = 1;
  EXPECT_EQ(hb_session_tokens(session.get(), &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hb_session_logits(session.get(), &count), nullptr);
  EXPECT_EQ(hb_session_logits_hash(session.get()), 0u);

  const std::vector<int32_t> tokens = some_tokens(9);
  ASSERT_EQ(append(session.get(), tokens), HB_OK) << error_.message;
  EXPECT_EQ(tokens_of(session.get()), tokens);
  const float* logits = hb_session_logits(session.get(), &count);
  ASSERT_EQ(count, 288u);
  EXPECT_NE(logits[0], logits[1]);
  EXPECT_NE(hb_session_logits_hash(session.get()), 0u);
}

TEST_F(SessionApi, SameBitsOnEveryBackendAndBatch) {
  const std::vector<int32_t> tokens = some_tokens(40);
  const uint64_t expected = hash_of(tokens);
  hb_session_options options;
  hb_session_options_init(&options, sizeof(options));
  options.batch = 3;
  const SessionHandle session = new_session(&options);
  ASSERT_EQ(append(session.get(), tokens), HB_OK);
  EXPECT_EQ(hb_session_logits_hash(session.get()), expected);

  hb_model_options ref;
  hb_model_options_init(&ref, sizeof(ref));
  ref.backend = "ref";
  model_ = load_model(path_, &ref);
  EXPECT_EQ(hash_of(tokens), expected);
}

TEST_F(SessionApi, SetTokensEvaluatesOnlyWhatDiffers) {
  const SessionHandle session = new_session();
  std::vector<int32_t> tokens = some_tokens(20);
  ASSERT_EQ(append(session.get(), tokens), HB_OK);
  tokens.resize(12);
  tokens.push_back(99);
  size_t kept = 0;
  ASSERT_EQ(
      hb_session_set_tokens(session.get(), tokens.data(), tokens.size(), &kept, nullptr, nullptr, &error_),
      HB_OK);
  EXPECT_EQ(kept, 12u);
  EXPECT_EQ(tokens_of(session.get()), tokens);
  EXPECT_EQ(hb_session_logits_hash(session.get()), hash_of(tokens));

  ASSERT_EQ(hb_session_set_tokens(session.get(), nullptr, 0, &kept, nullptr, nullptr, &error_), HB_OK);
  EXPECT_EQ(kept, 0u);
  EXPECT_TRUE(tokens_of(session.get()).empty());
}

TEST_F(SessionApi, Truncates) {
  const SessionHandle session = new_session();
  const std::vector<int32_t> tokens = some_tokens(20);
  ASSERT_EQ(append(session.get(), tokens), HB_OK);
  ASSERT_EQ(hb_session_truncate(session.get(), SIZE_MAX, &error_), HB_OK);
  EXPECT_EQ(tokens_of(session.get()).size(), 20u);
  ASSERT_EQ(hb_session_truncate(session.get(), 5, &error_), HB_OK);
  EXPECT_EQ(tokens_of(session.get()), some_tokens(5));
  EXPECT_EQ(hb_session_logits(session.get(), nullptr), nullptr);
}

TEST_F(SessionApi, SavesAndLoads) {
  const std::string file = folder_.file("talk.session");
  const SessionHandle first = new_session();
  ASSERT_EQ(append(first.get(), some_tokens(20)), HB_OK);
  ASSERT_EQ(hb_session_save(first.get(), file.c_str(), &error_), HB_OK) << error_.message;
  const SessionHandle second = new_session();
  ASSERT_EQ(hb_session_load(second.get(), file.c_str(), &error_), HB_OK) << error_.message;
  EXPECT_EQ(tokens_of(second.get()), some_tokens(20));
  EXPECT_EQ(hb_session_logits_hash(second.get()), hb_session_logits_hash(first.get()));
  for (hb_session* session : {first.get(), second.get()}) ASSERT_EQ(append(session, {50, 60}), HB_OK);
  EXPECT_EQ(hb_session_logits_hash(second.get()), hb_session_logits_hash(first.get()));

  EXPECT_EQ(hb_session_load(second.get(), path_.c_str(), &error_), HB_BAD_FILE);
  EXPECT_EQ(hb_session_load(second.get(), folder_.file("none").c_str(), &error_), HB_NOT_FOUND);
  EXPECT_EQ(tokens_of(second.get()).size(), 22u);
  EXPECT_EQ(hb_session_save(second.get(), (folder_.file("none") + "/x").c_str(), &error_), HB_IO);
  EXPECT_EQ(hb_session_save(second.get(), nullptr, &error_), HB_INVALID_ARGUMENT);
  EXPECT_EQ(hb_session_load(second.get(), nullptr, &error_), HB_INVALID_ARGUMENT);
}

TEST_F(SessionApi, AFullContextIsAnErrorOrShifts) {
  hb_session_options options;
  hb_session_options_init(&options, sizeof(options));
  options.context = 32;
  const SessionHandle strict = new_session(&options);
  expect_error(append(strict.get(), some_tokens(33)), HB_INVALID_ARGUMENT, "32");
  EXPECT_TRUE(tokens_of(strict.get()).empty());
  EXPECT_EQ(append(strict.get(), some_tokens(32)), HB_OK);

  options.shift = 1;
  const SessionHandle shifting = new_session(&options);
  ASSERT_EQ(append(shifting.get(), some_tokens(32)), HB_OK);
  ASSERT_EQ(append(shifting.get(), {50}), HB_OK) << error_.message;
  EXPECT_LT(tokens_of(shifting.get()).size(), 32u);
  EXPECT_EQ(hb_session_logits_hash(shifting.get()), hash_of(tokens_of(shifting.get())));

  const std::vector<int32_t> long_prompt = some_tokens(100);
  ASSERT_EQ(
      hb_session_set_tokens(shifting.get(), long_prompt.data(), 100, nullptr, nullptr, nullptr, &error_),
      HB_OK)
      << error_.message;
  EXPECT_LE(tokens_of(shifting.get()).size(), 32u);
  EXPECT_EQ(tokens_of(shifting.get()).back(), long_prompt.back());
}

TEST_F(SessionApi, OptionsOutOfRangeAreErrors) {
  hb_session_options options;
  hb_session* session = nullptr;
  const auto expect_refused = [&](const char* part) {
    expect_error(hb_session_create(model_.get(), &options, &session, &error_), HB_INVALID_ARGUMENT, part);
    EXPECT_EQ(session, nullptr);
    hb_session_options_init(&options, sizeof(options));
  };
  hb_session_options_init(&options, sizeof(options));
  options.context = 257;
  expect_refused("257");
  options.batch = 0;
  expect_refused("0");
  options.shift = 2;
  expect_refused("shift");
  options.struct_size = 3;
  expect_refused("struct_size");
  options.struct_size = offsetof(hb_session_options, batch);
  options.batch = 0;  // not part of so old a struct
  EXPECT_EQ(hb_session_create(model_.get(), &options, &session, &error_), HB_OK) << error_.message;
  hb_session_free(session);
}

TEST_F(SessionApi, MisuseIsAnError) {
  const SessionHandle session = new_session();
  hb_session* out = nullptr;
  expect_error(append(session.get(), {5, 288}), HB_INVALID_ARGUMENT, "288");
  expect_error(append(session.get(), {-1}), HB_INVALID_ARGUMENT, "-1");
  expect_error(append(nullptr, {5}), HB_INVALID_ARGUMENT, "session is NULL");
  expect_error(hb_session_append(session.get(), nullptr, 3, nullptr, nullptr, &error_), HB_INVALID_ARGUMENT,
               "tokens");
  const int32_t one = 5;
  expect_error(hb_session_append(session.get(), &one, SIZE_MAX, nullptr, nullptr, &error_),
               HB_INVALID_ARGUMENT, "tokens");
  expect_error(hb_session_truncate(nullptr, 0, &error_), HB_INVALID_ARGUMENT, "session");
  expect_error(hb_session_create(nullptr, nullptr, &out, &error_), HB_INVALID_ARGUMENT, "model");
  expect_error(hb_session_create(model_.get(), nullptr, nullptr, &error_), HB_INVALID_ARGUMENT, "session");
  EXPECT_TRUE(tokens_of(session.get()).empty());
  EXPECT_EQ(hb_session_tokens(nullptr, nullptr), nullptr);
  EXPECT_EQ(hb_session_logits(nullptr, nullptr), nullptr);
  EXPECT_EQ(hb_session_logits_hash(nullptr), 0u);
  EXPECT_EQ(hb_session_context(nullptr), 0u);
  hb_session_free(nullptr);
}

TEST_F(SessionApi, ProgressStopsAtABatch) {
  hb_session_options options;
  hb_session_options_init(&options, sizeof(options));
  options.batch = 4;
  const SessionHandle session = new_session(&options);
  const std::vector<int32_t> tokens = some_tokens(20);
  const auto stop_at_eight = [](void*, uint64_t done, uint64_t total) {
    EXPECT_EQ(total, 20u);
    return done >= 8 ? 1 : 0;
  };
  EXPECT_EQ(hb_session_append(session.get(), tokens.data(), tokens.size(), stop_at_eight, nullptr, &error_),
            HB_CANCELLED);
  EXPECT_EQ(tokens_of(session.get()), some_tokens(8));
}

TEST_F(SessionApi, ACallbackMayNotChangeItsSession) {
  const SessionHandle session = new_session();
  const auto intrude = [](void* user, uint64_t, uint64_t) {
    hb_error error = {};
    auto* own = static_cast<hb_session*>(user);
    EXPECT_EQ(hb_session_truncate(own, 0, &error), HB_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error.message).find("at work"), std::string::npos) << error.message;
    return 0;
  };
  const std::vector<int32_t> tokens = some_tokens(5);
  EXPECT_EQ(hb_session_append(session.get(), tokens.data(), 5, intrude, session.get(), &error_), HB_OK);
  EXPECT_EQ(hb_session_truncate(session.get(), 0, &error_), HB_OK);  // free again
}

TEST_F(SessionApi, OutlivesItsModel) {
  const SessionHandle session = new_session();
  model_.reset();
  EXPECT_EQ(append(session.get(), some_tokens(5)), HB_OK) << error_.message;
}

TEST_F(SessionApi, TwoThreadsGetTheBitsOfOne) {
  hb_model_options options;
  hb_model_options_init(&options, sizeof(options));
  options.threads = 2;
  model_ = load_model(path_, &options);
  ASSERT_NE(model_, nullptr) << error_.message;
  const auto run = [this](int32_t first, std::vector<uint64_t>& hashes) {
    hb_session* session = nullptr;
    if (hb_session_create(model_.get(), nullptr, &session, nullptr) != HB_OK) return;
    for (const int32_t token : some_tokens(40, first)) {
      if (hb_session_append(session, &token, 1, nullptr, nullptr, nullptr) != HB_OK) break;
      hashes.push_back(hb_session_logits_hash(session));
    }
    hb_session_free(session);
  };
  std::vector<uint64_t> alone[2], together[2];
  for (int i : {0, 1}) run(10 + 20 * i, alone[i]);
  std::thread other([&] { run(30, together[1]); });
  run(10, together[0]);
  other.join();
  ASSERT_EQ(alone[0].size(), 40u);
  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
  EXPECT_NE(alone[0], alone[1]);
}

}  // namespace
}  // namespace hb::test
