// Greedy pair merging, the inner loop of both kinds of tokenizer: the best pair first, of equals the
// leftmost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hb {

struct Symbol {
  uint32_t offset = 0;      // of its bytes in the text
  uint32_t size_bytes = 0;  // 0: it was merged into the symbol on its left
  int32_t id = -1;          // its token; -1: none yet
};

// What two neighbours may become.
struct PairMerge {
  uint32_t order;  // smaller goes first
  int32_t id;      // -1: they may not
};

// Reusable memory for one merge after the other.
class SymbolMerger {
 public:
  std::vector<Symbol> symbols;  // in: in order of the text; out: those that are left

  // Merges until no neighbours may merge. `find(left, right)` gives a PairMerge for two Symbols.
  // n symbols cost n log n.
  // REQUIRES: fewer than 2^31 symbols.
  template <class Find>
  void run(const Find& find) {
    const auto count = static_cast<int32_t>(symbols.size());
    neighbours_.resize(symbols.size());
    heap_.clear();
    for (int32_t i = 0; i < count; ++i) neighbours_[i] = {i - 1, i + 1 < count ? i + 1 : -1};
    for (int32_t i = 0; i + 1 < count; ++i) offer(i, i + 1, find);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, worse);
      const Candidate best = heap_.back();
      heap_.pop_back();
      if (is_stale(best)) continue;
      join(best);
      const Neighbours next_to = neighbours_[best.left];
      if (next_to.left >= 0) offer(next_to.left, best.left, find);
      if (next_to.right >= 0) offer(best.left, next_to.right, find);
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.size_bytes == 0; });
  }

 private:
  struct Neighbours {
    int32_t left, right;  // -1: none
  };
  struct Candidate {
    uint32_t order;
    int32_t left, right;  // indices of symbols
    uint32_t size_bytes;  // of both when it was offered: a symbol that has changed since is longer, or 0
    int32_t id;
  };

  static bool worse(const Candidate& a, const Candidate& b) {
    return a.order != b.order ? a.order > b.order : a.left > b.left;
  }

  template <class Find>
  void offer(int32_t left, int32_t right, const Find& find) {
    const PairMerge merge = find(symbols[left], symbols[right]);
    if (merge.id < 0) return;
    heap_.push_back(
        {merge.order, left, right, symbols[left].size_bytes + symbols[right].size_bytes, merge.id});
    std::ranges::push_heap(heap_, worse);
  }

  bool is_stale(const Candidate& candidate) const {
    const Symbol& left = symbols[candidate.left];
    const Symbol& right = symbols[candidate.right];
    return left.size_bytes == 0 || right.size_bytes == 0 ||
           left.size_bytes + right.size_bytes != candidate.size_bytes;
  }

  void join(const Candidate& pair) {
    symbols[pair.left].size_bytes = pair.size_bytes;
    symbols[pair.left].id = pair.id;
    symbols[pair.right].size_bytes = 0;
    const int32_t after = neighbours_[pair.right].right;
    neighbours_[pair.left].right = after;
    if (after >= 0) neighbours_[after].left = pair.left;
  }

  std::vector<Neighbours> neighbours_;
  std::vector<Candidate> heap_;
};

}  // namespace hb
