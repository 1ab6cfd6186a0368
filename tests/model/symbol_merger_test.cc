#include "model/symbol_merger.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace hb {
namespace {

// Any two symbols whose joint size is allowed merge; how soon depends on the size alone, so that ties are
// common.
struct Rules {
  std::vector<uint32_t> order_of_size;  // 0: sizes that do not merge

  PairMerge operator()(const Symbol& left, const Symbol& right) const {
    const uint32_t size = left.size_bytes + right.size_bytes;
    if (size >= order_of_size.size() || order_of_size[size] == 0) return {0, -1};
    return {order_of_size[size], static_cast<int32_t>(size)};
  }
};

std::vector<uint32_t> sizes_by_definition(std::vector<Symbol> symbols, const Rules& rules) {
  for (;;) {
    size_t best = symbols.size();
    uint32_t best_order = UINT32_MAX;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const PairMerge merge = rules(symbols[i], symbols[i + 1]);
      if (merge.id >= 0 && merge.order < best_order) {
        best = i;
        best_order = merge.order;
      }
    }
    if (best == symbols.size()) break;
    symbols[best].size_bytes += symbols[best + 1].size_bytes;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
  std::vector<uint32_t> sizes;
  for (const Symbol& symbol : symbols) sizes.push_back(symbol.size_bytes);
  return sizes;
}

TEST(SymbolMergerTest, EqualsItsDefinitionOnRandomRules) {
  std::mt19937 random(1);
  SymbolMerger merger;
  for (int round = 0; round < 2000; ++round) {
    Rules rules{std::vector<uint32_t>(random() % 12)};
    for (uint32_t& order : rules.order_of_size) order = random() % 4;
    merger.symbols.clear();
    uint32_t offset = 0;
    for (uint32_t i = random() % 40; i > 0; --i) {
      const uint32_t size = 1 + random() % 3;
      merger.symbols.push_back({offset, size, -1});
      offset += size;
    }
    const auto expected = sizes_by_definition(merger.symbols, rules);
    merger.run(rules);
    std::vector<uint32_t> sizes;
    uint32_t next_offset = 0;
    for (const Symbol& symbol : merger.symbols) {
      EXPECT_EQ(symbol.offset, next_offset);
      next_offset += symbol.size_bytes;
      sizes.push_back(symbol.size_bytes);
    }
    ASSERT_EQ(sizes, expected) << "round " << round;
  }
}

TEST(SymbolMergerTest, NothingAndOneSymbolStay) {
  SymbolMerger merger;
  merger.run(Rules{});
  EXPECT_TRUE(merger.symbols.empty());
  merger.symbols = {{0, 1, 7}};
  merger.run(Rules{});
  ASSERT_EQ(merger.symbols.size(), 1u);
  EXPECT_EQ(merger.symbols[0].id, 7);
}

}  // namespace
}  // namespace hb
