// What a session holds after every way to change it, and that its logits depend on the tokens alone.
#include "engine/session.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/sessions.h"

namespace hb::test {
namespace {

constexpr uint32_t kVocab = 288;

// gemma3 has a sliding window and a cache layer of each kind.
class SessionTest : public ::testing::Test {
 protected:
  ModelFile file_{{.architecture = "gemma3"}};
  std::shared_ptr<const Model> model_ = load(file_.path(), cpu_backend(2));

  Session session(uint32_t context = 128, bool shift = false, uint32_t keep = 4) const {
    return new_session(model_, {.context = context, .batch = 16, .shift = shift, .keep = keep});
  }

  // Of a new session that was given `tokens` in one go.
  std::vector<float> fresh_logits(std::span<const int32_t> tokens) const {
    Session fresh = new_session(model_, {.context = 256});
    EXPECT_TRUE(fresh.append(tokens));
    return copy_of(fresh.logits());
  }

  void expect_holds(const Session& session, const std::vector<int32_t>& tokens) const {
    EXPECT_EQ(session.tokens(), tokens);
    EXPECT_TRUE(same_bits(fresh_logits(tokens), session.logits()));
  }
};

std::vector<int32_t> joined(std::vector<int32_t> a, const std::vector<int32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<int32_t> first(const std::vector<int32_t>& tokens, size_t count) {
  return {tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(count)};
}

Status set(Session& session, const std::vector<int32_t>& tokens) {
  HB_TRY(session.set_tokens(tokens));
  return {};
}

TEST_F(SessionTest, ReusesACommonPrefix) {
  const auto a = random_tokens(60, kVocab, 1);
  const auto b = joined(first(a, 25), random_tokens(30, kVocab, 2));
  Session s = session();
  EXPECT_EQ(s.set_tokens(a).value(), 0u);
  expect_holds(s, a);
  EXPECT_EQ(s.set_tokens(b).value(), 25u);
  expect_holds(s, b);
  EXPECT_EQ(s.set_tokens(b).value(), b.size());  // nothing to do
  expect_holds(s, b);
  EXPECT_EQ(s.set_tokens(first(b, 40)).value(), 39u);  // the last one is evaluated for its logits
  expect_holds(s, first(b, 40));
}

TEST_F(SessionTest, TruncatesAndAppendsAgain) {
  const auto a = random_tokens(70, kVocab, 3);
  Session s = session();
  ASSERT_TRUE(s.append(a));
  s.truncate(31);
  EXPECT_EQ(s.tokens(), first(a, 31));
  EXPECT_TRUE(s.logits().empty());
  const auto more = random_tokens(20, kVocab, 4);
  ASSERT_TRUE(s.append(more));
  expect_holds(s, joined(first(a, 31), more));
  s.truncate(10);
  EXPECT_EQ(s.set_tokens(first(a, 10)).value(), 9u);
  expect_holds(s, first(a, 10));
}

TEST_F(SessionTest, TwoSessionsOfOneModelDoNotMeet) {
  const auto a = random_tokens(60, kVocab, 5), b = random_tokens(60, kVocab, 6);
  Session s = session(), t = session();
  for (size_t i = 0; i < a.size(); i += 5) {
    ASSERT_TRUE(s.append(std::span(a).subspan(i, 5)));
    ASSERT_TRUE(t.append(std::span(b).subspan(i, 5)));
  }
  expect_holds(s, a);
  expect_holds(t, b);
}

TEST_F(SessionTest, ShiftEqualsAFreshSessionOfTheKeptTokens) {
  const auto a = random_tokens(60, kVocab, 7);
  Session s = session(64, true, 4);
  ASSERT_TRUE(s.append(a));
  const auto more = random_tokens(5, kVocab, 8);
  ASSERT_TRUE(s.append(more));
  const std::vector<int32_t> rest(a.begin() + 4 + 30, a.end());
  expect_holds(s, joined(joined(first(a, 4), rest), more));
  for (int32_t token = 0; token < 200; ++token) ASSERT_TRUE(s.append({&token, 1}));
  EXPECT_LE(s.tokens().size(), 64u);
  EXPECT_EQ(first(s.tokens(), 4), first(a, 4));
  expect_holds(s, std::vector<int32_t>(s.tokens()));
}

// Every size of what is there, what is kept and what is added.
TEST_F(SessionTest, ShiftKeepsTheFirstAndTheNewest) {
  constexpr uint32_t kContext = 10;
  for (uint32_t keep = 0; keep < kContext / 2; ++keep) {
    for (uint32_t used = 0; used <= kContext; ++used) {
      for (uint32_t count = 1; count <= 2 * kContext; ++count) {
        SCOPED_TRACE(::testing::Message() << "keep " << keep << ", used " << used << ", count " << count);
        Session s = session(kContext, true, keep);
        const auto a = random_tokens(used, kVocab, 9), b = random_tokens(count, kVocab, 10);
        ASSERT_TRUE(s.append(a));
        ASSERT_TRUE(s.append(b));
        ASSERT_LE(s.tokens().size(), kContext);
        const auto all = joined(a, b);
        const auto kept = std::min<size_t>(keep, all.size()), newest = s.tokens().size() - kept;
        EXPECT_EQ(first(s.tokens(), kept), first(all, kept));
        EXPECT_GE(newest, std::min<size_t>(all.size() - kept, (kContext - keep) / 2));
        EXPECT_TRUE(std::equal(s.tokens().begin() + kept, s.tokens().end(), all.end() - newest));
      }
    }
  }
}

// One by one, in pieces, at once, or as the new content of a session that holds others.
TEST_F(SessionTest, ShiftLeavesTheSameHoweverTheTokensCome) {
  constexpr uint32_t kContext = 10;
  for (uint32_t keep = 0; keep < kContext / 2; ++keep) {
    for (uint32_t count = kContext; count < 5 * kContext; ++count) {
      SCOPED_TRACE(::testing::Message() << "keep " << keep << ", count " << count);
      const auto all = random_tokens(count, kVocab, 19);
      Session one_by_one = session(kContext, true, keep), pieces = session(kContext, true, keep);
      Session at_once = session(kContext, true, keep), replaced = session(kContext, true, keep);
      for (const int32_t token : all) ASSERT_TRUE(one_by_one.append({&token, 1}));
      for (size_t i = 0; i < all.size(); i += 7)
        ASSERT_TRUE(pieces.append(std::span(all).subspan(i, std::min<size_t>(7, all.size() - i))));
      ASSERT_TRUE(at_once.append(all));
      ASSERT_TRUE(replaced.append(random_tokens(8, kVocab, 20)));
      ASSERT_TRUE(replaced.set_tokens(all));
      ASSERT_LE(at_once.tokens().size(), kContext);
      EXPECT_EQ(first(at_once.tokens(), keep), first(all, keep));
      for (const Session* other : {&pieces, &at_once, &replaced}) {
        EXPECT_EQ(other->tokens(), one_by_one.tokens());
        EXPECT_TRUE(same_bits(one_by_one.logits(), other->logits()));
      }
    }
  }
}

TEST_F(SessionTest, LogitsOfEachTokenNeedRoomForAll) {
  Session s = session(10, true);
  const auto ignore = [](uint32_t, std::span<const float>) {};
  EXPECT_TRUE(s.append_with_logits(random_tokens(6, kVocab), ignore));
  const Status status = s.append_with_logits(random_tokens(5, kVocab), ignore);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(s.tokens().size(), 6u);
}

TEST_F(SessionTest, RefusesWhatDoesNotFitAndStaysAsItWas) {
  const auto a = random_tokens(20, kVocab, 11);
  Session s = session(32);
  ASSERT_TRUE(s.append(a));
  const auto too_long = random_tokens(33, kVocab, 12);
  for (const Status& status : {s.append(random_tokens(13, kVocab)), s.append(too_long), set(s, too_long)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(status.error().message.find("do not fit the context of 32; use a larger context or"),
              std::string::npos)
        << status.error().message;
  }
  expect_holds(s, a);
  EXPECT_FALSE(s.is_full());
  ASSERT_TRUE(s.append(random_tokens(12, kVocab)));
  EXPECT_TRUE(s.is_full());
  EXPECT_FALSE(session(32, true).is_full());
}

TEST_F(SessionTest, RefusesTokensOutsideTheVocabulary) {
  const auto a = random_tokens(20, kVocab, 13);
  Session s = session();
  ASSERT_TRUE(s.append(a));
  for (const int32_t bad : {-1, static_cast<int32_t>(kVocab), INT32_MAX, INT32_MIN}) {
    const std::vector<int32_t> tokens = {1, bad, 2};
    for (const Status& status : {s.append(tokens), set(s, tokens),
                                 s.append_with_logits(tokens, [](uint32_t, std::span<const float>) {})}) {
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(status.error().message.find(std::to_string(bad)), std::string::npos)
          << status.error().message;
    }
  }
  expect_holds(s, a);
}

TEST_F(SessionTest, RefusesImpossibleOptions) {
  for (const SessionOptions& options : {SessionOptions{.context = 0}, SessionOptions{.context = 257},
                                        SessionOptions{.context = 64, .batch = 0},
                                        SessionOptions{.context = 64, .shift = true, .keep = 32}}) {
    const auto s = Session::create(model_, options);
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(SessionTest, StopsBetweenBatchesAndKeepsWhatIsDone) {
  const auto a = random_tokens(60, kVocab, 14);
  Session s = session();
  std::vector<uint32_t> seen;
  const Status status = s.append(a, [&seen](uint32_t done, uint32_t total) {
    EXPECT_EQ(total, 60u);
    seen.push_back(done);
    return done < 32;
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(seen, (std::vector<uint32_t>{16, 32}));
  EXPECT_EQ(s.tokens(), first(a, 32));
  EXPECT_EQ(s.set_tokens(a).value(), 32u);
  expect_holds(s, a);
}

// Saved by one backend, continued by every other.
TEST_F(SessionTest, ContinuesOnEveryBackendAfterSaveAndLoad) {
  const auto a = random_tokens(50, kVocab, 15), more = random_tokens(9, kVocab, 16);
  std::vector<std::shared_ptr<Backend>> backends = {reference_backend()};
  for (const std::string& isa : usable_isas()) backends.push_back(cpu_backend(1 + backends.size() % 3, isa));
  const auto expected = fresh_logits(a), expected_after = fresh_logits(joined(a, more));
  for (size_t from = 0; from < backends.size(); ++from) {
    const std::string path = file_.file("session");
    Session saved = new_session(load(file_.path(), backends[from]), {.context = 128});
    ASSERT_TRUE(saved.append(a));
    ASSERT_TRUE(saved.save(path));
    const size_t to = (from + 1) % backends.size();
    SCOPED_TRACE(backends[from]->description() + " to " + backends[to]->description());
    Session loaded = new_session(load(file_.path(), backends[to]), {.context = 64, .batch = 7});
    ASSERT_TRUE(loaded.append(random_tokens(60, kVocab, 17)));  // is forgotten
    const Status status = loaded.load(path);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(loaded.tokens(), a);
    EXPECT_TRUE(same_bits(expected, loaded.logits()));
    ASSERT_TRUE(loaded.append(more));
    EXPECT_TRUE(same_bits(expected_after, loaded.logits()));
  }
}

TEST_F(SessionTest, SavesAndLoadsWithoutTokensAndWithoutLogits) {
  Session s = session(), t = session();
  const std::string path = file_.file("session");
  ASSERT_TRUE(s.save(path));
  ASSERT_TRUE(t.append(random_tokens(5, kVocab)));
  ASSERT_TRUE(t.load(path));
  EXPECT_TRUE(t.tokens().empty());
  EXPECT_TRUE(t.logits().empty());
  const auto a = random_tokens(20, kVocab, 18);
  ASSERT_TRUE(s.append(a));
  s.truncate(12);
  ASSERT_TRUE(s.save(path));
  ASSERT_TRUE(t.load(path));
  EXPECT_EQ(t.tokens(), first(a, 12));
  EXPECT_TRUE(t.logits().empty());
  ASSERT_TRUE(t.set_tokens(a));
  expect_holds(t, a);
}

}  // namespace
}  // namespace hb::test
