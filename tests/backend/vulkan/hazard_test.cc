#include <gtest/gtest.h>

#include "backend/vulkan/recording.h"

namespace hb::vulkan {
namespace {

BufferRange range(uintptr_t buffer, uint64_t offset, uint64_t size) {
  return {reinterpret_cast<VkBuffer>(buffer), offset, size};
}

TEST(HazardTracker, WaitsForWritesBeforeReadsAndWrites) {
  HazardTracker hazards;
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 100), Access::kWrite}}));
  EXPECT_TRUE(hazards.needs_barrier({{0, range(1, 96, 4), Access::kRead}}));
  EXPECT_TRUE(hazards.needs_barrier({{0, range(1, 0, 100), Access::kReadWrite}}));
  EXPECT_TRUE(hazards.needs_barrier({{0, range(1, 0, 4), Access::kWrite}}));
}

TEST(HazardTracker, WaitsForReadsBeforeWrites) {
  HazardTracker hazards;
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 100), Access::kRead}}));
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 100), Access::kRead}}));
  EXPECT_TRUE(hazards.needs_barrier({{0, range(1, 50, 4), Access::kWrite}}));
}

TEST(HazardTracker, LeavesOtherBuffersAndRangesAlone) {
  HazardTracker hazards;
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 100), Access::kWrite}}));
  EXPECT_FALSE(hazards.needs_barrier({{0, range(2, 0, 100), Access::kWrite}}));
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 100, 100), Access::kWrite}}));
}

TEST(HazardTracker, ForgetsWhatABarrierHasSettled) {
  HazardTracker hazards;
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 4), Access::kWrite}}));
  EXPECT_TRUE(
      hazards.needs_barrier({{0, range(1, 0, 4), Access::kRead}, {1, range(2, 0, 4), Access::kWrite}}));
  EXPECT_FALSE(hazards.needs_barrier({{0, range(1, 0, 4), Access::kRead}}));
  EXPECT_TRUE(hazards.needs_barrier({{0, range(2, 0, 4), Access::kRead}}));
}

}  // namespace
}  // namespace hb::vulkan
