#include "base/cpu_mask.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace hb {
namespace {

TEST(CpuMaskTest, ReadsHexAndPrintsItBack) {
  const auto mask = CpuMask::parse("0xF0");
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->count(), 4u);
  EXPECT_TRUE(mask->contains(4) && mask->contains(7));
  EXPECT_FALSE(mask->contains(3) || mask->contains(8) || mask->contains(5000));
  EXPECT_EQ(mask->to_hex(), "f0");
  EXPECT_EQ(CpuMask().to_hex(), "0");
}

TEST(CpuMaskTest, ReachesTheLastCpu) {
  const std::string widest(CpuMask::kMaxCpus / 4, 'f');
  EXPECT_EQ(CpuMask::parse(widest)->count(), CpuMask::kMaxCpus);
  EXPECT_EQ(CpuMask::parse(widest)->to_hex(), widest);
}

TEST(CpuMaskTest, RefusesWhatIsNoMask) {
  for (const std::string& text : {std::string(), std::string("0x"), std::string("12g"), std::string("-1"),
                                  std::string(CpuMask::kMaxCpus / 4 + 1, '0')}) {
    const auto mask = CpuMask::parse(text);
    ASSERT_FALSE(mask) << text;
    EXPECT_EQ(mask.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(mask.error().message.find("'" + text + "'"), std::string::npos);
  }
}

TEST(CpuMaskTest, AppliesToTheThreadAndItsChildren) {
  std::thread([] {
    const CpuMask all = CpuMask::of_this_thread();
    uint32_t first = 0;
    while (!all.contains(first)) ++first;
    CpuMask one;
    one.add(first);
    ASSERT_TRUE(one.apply_to_this_thread());
    EXPECT_EQ(CpuMask::of_this_thread(), one);
    std::thread([&] { EXPECT_EQ(CpuMask::of_this_thread(), one); }).join();
    EXPECT_FALSE(CpuMask().apply_to_this_thread());
  }).join();
}

}  // namespace
}  // namespace hb
