// A saved chat is two files that belong together.
#include "apps/session_files.h"

#include <gmock/gmock.h>

#include "apps/model_run.h"
#include "backend/cpu/cpu_backend.h"
#include "support/small_disk.h"

namespace hb::test {
namespace {

class SessionFiles : public ModelTest {
 protected:
  void SetUp() override {
    ModelTest::SetUp();
    model_ = *Model::load(model_path(), *make_cpu_backend({}));
    std::filesystem::create_directory(file("disk"));
  }

  Session session(uint32_t tokens) const {
    Session session = *Session::create(model_, {.context = 1000});
    EXPECT_TRUE(session.append(std::vector<int32_t>(tokens, 7)));
    return session;
  }
  static Conversation conversation(const std::string& text) {
    Conversation conversation;
    conversation.add("user", text);
    return conversation;
  }

  // Saves a small chat, then one that does not fit, into 32 KiB. Returns what is wrong, or the second error.
  std::string save_twice(uint32_t tokens, const std::string& text) const {
    const std::string path = file("disk") + "/chat";
    return test::on_small_disk(file("disk"), 32 << 10, [&]() -> std::string {
      if (const Status first = save_session(path, session(5), conversation("old")); !first)
        return "the first chat: " + first.error().message;
      const Status second = save_session(path, session(tokens), conversation(text));
      if (second) return "the second chat fits";
      Session loaded = session(9);
      Conversation messages;
      if (const Status status = load_session(path, loaded, messages); !status) return status.error().message;
      if (loaded.tokens().size() != 5 || messages.messages() != conversation("old").messages())
        return "the old chat has changed";
      return second.error().message;
    });
  }

  std::shared_ptr<const Model> model_;
};

TEST_F(SessionFiles, AFullDiskKeepsTheOldPair) {
  for (const auto& [tokens, text] : {std::pair{6u, std::string(100'000, 'x')}, {500u, std::string("new")}}) {
    const std::string words = save_twice(tokens, text);
    if (words.starts_with("skip")) GTEST_SKIP() << words;
    EXPECT_THAT(words, ::testing::HasSubstr("No space left on device; what was there before is unchanged"));
  }
}

TEST_F(SessionFiles, AChatWithoutMessagesRemovesTheOldOnes) {
  ASSERT_TRUE(save_session(file("chat"), session(5), conversation("old")));
  ASSERT_TRUE(save_session(file("chat"), session(6), {}));
  Session loaded = session(9);
  Conversation messages;
  ASSERT_TRUE(load_session(file("chat"), loaded, messages));
  EXPECT_EQ(loaded.tokens().size(), 6u);
  EXPECT_TRUE(messages.empty());
}

}  // namespace
}  // namespace hb::test
