#include "apps/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hb {
namespace {

TEST(HumanBytes, PicksTheUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(99'949), "99.9 kB");
  EXPECT_EQ(human_bytes(99'960), "100 kB");
  EXPECT_EQ(human_bytes(999'600), "1.0 MB");
  EXPECT_EQ(human_bytes(98'362'432), "98.4 MB");
  EXPECT_EQ(human_bytes(5e15), "5000 TB");
}

TEST(ProgressLine, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(progress_line({"model", 250, 1000}, 50, 100),
            "model  [######------------------]  25 %  250 B of 1.0 kB  50 B/s  15 s left");
}

TEST(ProgressLine, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(progress_line({"model", 250, 0}, 0, 100), "model  250 B");
  EXPECT_EQ(progress_line({"model", 1000, 1000}, 50, 100),
            "model  [########################] 100 %  1.0 kB of 1.0 kB  50 B/s");
}

TEST(ProgressLine, NeverExceedsTheWidth) {
  for (size_t width = 0; width < 90; ++width) {
    EXPECT_LE(progress_line({"a rather long name", 250, 1000}, 1e7, width).size(), width);
  }
}

TEST(ProgressLine, SurvivesMoreThanWasPromised) {
  EXPECT_THAT(progress_line({"m", 2000, 1000}, 1, 100), testing::HasSubstr("100 %"));
}

TEST(ProgressBar, WritesPlainLinesIntoAFile) {
  std::FILE* file = std::tmpfile();
  {
    ProgressBar bar(file);
    for (uint64_t done = 0; done <= 1000; done += 10) bar.update({"fetching", done, 1000});
    bar.update({"unpacking", 0, 0});
  }
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text, "fetching\n  100 %  1.0 kB of 1.0 kB\nunpacking\n");
}

}  // namespace
}  // namespace hb
