// From a token's text to its id: a flat hash table over texts that lie elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hb {

// BORROWS the texts (the array and what it points to), which outlive the table.
class TokenTable {
 public:
  TokenTable() = default;

  // Of equal texts, the lowest id is found. Empty texts are not found.
  // REQUIRES: fewer than 2^30 texts.
  explicit TokenTable(std::span<const std::string_view> texts);

  int32_t find(std::string_view text) const;  // -1: no such token

 private:
  struct Slot {
    uint32_t hash;
    int32_t id = -1;
  };

  std::span<const std::string_view> texts_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

// From two tokens' ids to a value: the merges of byte pair encoding.
class PairTable {
 public:
  struct Merge {
    uint32_t rank;
    int32_t id;  // of the token that the pair becomes; -1: no merge
  };

  explicit PairTable(size_t max_pairs = 0);

  // The first merge of a pair stays. REQUIRES: not more than max_pairs insertions; ids are not negative.
  void insert(int32_t left, int32_t right, Merge merge);
  Merge find(int32_t left, int32_t right) const;

 private:
  struct Slot {
    uint64_t pair;
    Merge merge{0, -1};
  };

  size_t slot_of(uint64_t pair) const;

  std::vector<Slot> slots_;
};

}  // namespace hb
