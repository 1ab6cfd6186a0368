#include "fetch/child_process.h"

#include <gtest/gtest.h>

#include <chrono>

#include "fetch/temp_folder.h"

namespace hb {
namespace {

TEST(ChildProcess, ReportsExitCodeAndOutput) {
  const TempFolder folder;
  auto child = ChildProcess::start({"sh", "-c", "echo out; echo $COLOUR >&2; exit 7"}, {"COLOUR=blue"},
                                   folder / "log");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(), 7);
  EXPECT_EQ(child->wait(), 7);
  EXPECT_EQ(read_file(folder / "log"), "out\nblue\n");
}

TEST(ChildProcess, ReplacesAndKeepsVariables) {
  const TempFolder folder;
  const ScopedVariable kept("HB_KEPT", "1");
  const ScopedVariable replaced("HB_REPLACED", "old");
  auto child =
      ChildProcess::start({"sh", "-c", "echo $HB_KEPT $HB_REPLACED"}, {"HB_REPLACED=new"}, folder / "log");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(), 0);
  EXPECT_EQ(read_file(folder / "log"), "1 new\n");
}

TEST(ChildProcess, MissingProgramIsAnError) {
  const TempFolder folder;
  const auto child = ChildProcess::start({"hb-no-such-program"}, {}, folder / "log");
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kNotFound);
}

TEST(ChildProcess, StopsWhatStillRuns) {
  const TempFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  auto child = ChildProcess::start({"sleep", "60"}, {}, folder / "log");
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->has_ended());
  child->stop();
  EXPECT_EQ(child->wait(), 128 + 15);
  {
    auto abandoned = ChildProcess::start({"sleep", "60"}, {}, folder / "log");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace hb
