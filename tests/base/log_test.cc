#include "base/log.h"

#include <gtest/gtest.h>

namespace hb {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { set_log_level(LogLevel::kWarning); }
};

TEST_F(LogTest, PlainLinesFromTheLevelUp) {
  testing::internal::CaptureStderr();
  log_info("not {}", "shown");
  log_warning("row {} of {}", 3, 5);
  set_log_level(LogLevel::kDebug);
  log_debug("shown");
  set_log_level(LogLevel::kOff);
  log_error("never");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "halfbyte: warning: row 3 of 5\nhalfbyte: debug: shown\n");
}

TEST_F(LogTest, KnowsTheNamesOfLevels) {
  EXPECT_EQ(log_level_of("debug"), LogLevel::kDebug);
  EXPECT_EQ(log_level_of("off"), LogLevel::kOff);
  EXPECT_EQ(log_level_of("loud"), LogLevel::kWarning);
}

}  // namespace
}  // namespace hb
