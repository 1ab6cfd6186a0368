// Matvecs that run together must not see each other's results.
#include "backend/cpu/matvec_group.h"

#include <gtest/gtest.h>

#include <vector>

namespace hb::testing {
namespace {

constexpr BufferId kIn = 0, kA = 1, kB = 2, kC = 3;

MatvecOp matvec(BufferId out, BufferId residual = kNone, BufferId in = kIn) {
  return {.in = in, .weight = 0, .out = out, .residual = residual};
}

size_t group_size(const std::vector<Op>& ops) { return cpu::matvec_group(ops).count; }

TEST(MatvecGroup, TakesNeighboursOfOneInput) {
  EXPECT_EQ(group_size({matvec(kA)}), 1u);
  EXPECT_EQ(group_size({matvec(kA), matvec(kB), matvec(kC)}), 3u);
  EXPECT_EQ(group_size({matvec(kA, kA), matvec(kB, kB)}), 2u);  // each its own residual
  EXPECT_EQ(group_size({matvec(kA, kC), matvec(kB, kC)}), 2u);  // one residual, which nobody writes
  EXPECT_EQ(group_size({matvec(kA), QuantiseOp{kA, kC}, matvec(kB)}), 1u);
  EXPECT_EQ(group_size({matvec(kA), matvec(kB, kNone, kC)}), 1u);
}

TEST(MatvecGroup, EndsBeforeWhatAnotherOneWrites) {
  EXPECT_EQ(group_size({matvec(kA, kB), matvec(kB, kA)}), 1u);
  EXPECT_EQ(group_size({matvec(kA), matvec(kB, kA)}), 1u);  // reads it
  EXPECT_EQ(group_size({matvec(kA, kB), matvec(kB)}), 1u);  // writes what is still to be read
  EXPECT_EQ(group_size({matvec(kA), matvec(kA)}), 1u);      // writes it, too
  EXPECT_EQ(group_size({matvec(kA), matvec(kB), matvec(kC, kA)}), 2u);
}

TEST(MatvecGroup, IsNoLargerThanItsArray) {
  std::vector<Op> ops;
  for (BufferId out = 1; out < 30; ++out) ops.push_back(matvec(out));
  const cpu::MatvecGroup group = cpu::matvec_group(ops);
  EXPECT_EQ(group.count, cpu::kMaxMatvecGroup);
  EXPECT_EQ(group.ops[group.count - 1].out, cpu::kMaxMatvecGroup);
}

}  // namespace
}  // namespace hb::testing
