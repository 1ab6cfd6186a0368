// halfbyte chat by scripts and at a terminal, and Ctrl-C.
#include <gmock/gmock.h>

#include <filesystem>

#include "apps/live_process.h"
#include "apps/model_run.h"

namespace hb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Chat : public ModelTest {
 protected:
  ModelRun chat(const std::string& input, const std::string& arguments = "") const {
    return run_tiny("chat", "-n 4 --ignore-end " + arguments, input);
  }
  // What a process needs to answer for seconds.
  std::vector<std::string> endless(const std::string& command) const {
    return {command, "-m", model_path(), "-t", "1", "-n", "0", "--ignore-end", "-c", "60000"};
  }
};

TEST_F(Chat, AnswersEveryLineWithoutDecoration) {
  const ModelRun result = chat("hello\nand you?\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::Not(HasSubstr("> ")));
  EXPECT_GE(std::ranges::count(result.out, '\n'), 2);
}

TEST_F(Chat, OnlyNewTokensAreEvaluated) {
  const ModelRun result = chat("hello\n/stats\nhello again, and quite a bit longer than before\n/stats\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 messages"));
  EXPECT_THAT(result.out, HasSubstr("logits "));
}

TEST_F(Chat, ABackslashJoinsLines) {
  const ModelRun result = chat("one \\\ntwo\n/stats\n");
  EXPECT_THAT(result.out, HasSubstr("2 messages"));
  chat("one \\\ntwo\n/save " + file("s") + "\n");
  EXPECT_THAT(read_file(file("s.json")), HasSubstr("one \\ntwo"));
}

TEST_F(Chat, ResetForgetsAndLoadRemembers) {
  const std::string path = file("saved");
  ASSERT_EQ(chat("hello\n/save " + path + "\n").exit_code, 0);
  EXPECT_THAT(chat("/load " + path + "\nnext\n/stats\n").out, HasSubstr("4 messages"));
  EXPECT_THAT(chat("next\n/stats\n", "--load '" + path + "'").out, HasSubstr("4 messages"));
  EXPECT_THAT(chat("/load " + path + "\n/reset\nnext\n/stats\n").out, HasSubstr("2 messages"));
  EXPECT_THAT(chat("hello\n/system be brief\nnext\n/stats\n").out, HasSubstr("3 messages"));
}

TEST_F(Chat, RegenerateUsesTheNextSeed) {
  const ModelRun result = chat("hello\n/regen\n/stats\n", "--temp 2 --top-p 1");
  EXPECT_THAT(result.out, HasSubstr("2 messages, seed 1"));
}

TEST_F(Chat, ErrorsAreToldAndTheChatGoesOn) {
  const ModelRun result = chat("/regen\n/stats\n/nonsense\n/save\n/load /nowhere/x\n\xff\nhello\n/stats\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 7) << result.err;  // six, and that the answer was cut
  EXPECT_THAT(result.err, HasSubstr("no command is called '/nonsense'"));
  EXPECT_THAT(result.out, HasSubstr("2 messages"));
}

TEST_F(Chat, LongConversationsForgetTheirBeginning) {
  std::string input;
  for (int i = 0; i < 6; ++i) input += "a message of some length\n";
  const ModelRun result = chat(input + "/stats\n", "-c 160");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the oldest turn is forgotten"));
}

TEST_F(Chat, AMessageBeyondTheContextIsRefusedAndNothingIsForgotten) {
  const ModelRun result = chat("hello\n" + std::string(300, 'x') + "\n/stats\n", "-c 160");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the context of 160 has to hold the answer too; use a larger --context"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("forgotten")));
  EXPECT_THAT(result.out, HasSubstr("2 messages"));
}

TEST_F(Chat, HelpListsTheCommandsAndExitEnds) {
  const ModelRun result = chat("/help\n/exit\nnever read\n");
  for (const char* name : {"/reset", "/system", "/save", "/load", "/regen", "/stats", "/exit"})
    EXPECT_THAT(result.out, HasSubstr(name));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Chat, AModelWithoutTemplateIsRefused) {
  ASSERT_TRUE(write_tiny_model(model_path(), tiny_model_for("gemma3", TensorType::kQ4_0)));
  const ModelRun result = chat("hello\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--template"));
}

TEST_F(Chat, InterruptStopsTheAnswerNotTheChat) {
  LiveProcess process(LiveProcess::Input::kPipe, endless("chat"), file("cache"));
  process.type("/stats\n");
  ASSERT_TRUE(process.wait_for("no answer yet")) << process.output();
  process.type("hello\n");
  ASSERT_TRUE(process.wait_for_bytes(20)) << process.output();
  process.interrupt();
  process.type("/stats\n/exit\n");
  EXPECT_TRUE(process.wait_for("2 messages")) << process.output().substr(0, 500);
  EXPECT_EQ(process.finish(), 1);  // of the first /stats
}

TEST_F(Chat, InterruptEndsARunWithItsEvidence) {
  std::vector<std::string> arguments = endless("run");
  arguments.push_back("hello");
  LiveProcess process(LiveProcess::Input::kPipe, arguments, file("cache"));
  ASSERT_TRUE(process.wait_for_bytes(20)) << process.output();
  process.interrupt();
  EXPECT_EQ(process.finish(), 130);
  EXPECT_THAT(process.output(), HasSubstr("| logits "));
}

TEST_F(Chat, ATerminalHasPromptHistoryAndCtrlC) {
  std::vector<std::string> arguments = endless("chat");
  arguments[6] = "3";  // of -n
  LiveProcess process(LiveProcess::Input::kTerminal, arguments, file("cache"));
  ASSERT_TRUE(process.wait_for("> "));
  process.type("hello\n");
  ASSERT_TRUE(process.wait_for("\n> ")) << process.output();
  process.type("half a line\x03");
  ASSERT_TRUE(process.wait_for("\n> ")) << process.output();
  process.type("/stats\n");
  ASSERT_TRUE(process.wait_for("2 messages")) << process.output();
  process.type("/exit\n");
  EXPECT_EQ(process.finish(), 0);
  EXPECT_THAT(read_file(file("cache") + "/chat_history"), HasSubstr("hello"));
}

}  // namespace
}  // namespace hb::test
