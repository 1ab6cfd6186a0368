#include "model/token_table.h"

#include <bit>
#include <cstring>

#include "base/check.h"

namespace hb {
namespace {

constexpr uint64_t kOddMultiplier = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio

uint64_t mix(uint64_t value) {
  value *= kOddMultiplier;
  return value ^ value >> 32;
}

uint32_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  while (text.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash ^ word);
    text.remove_prefix(8);
  }
  uint64_t tail = 0;
  for (const char c : text) tail = tail << 8 | static_cast<uint8_t>(c);
  return static_cast<uint32_t>(mix(mix(hash ^ tail)));
}

}  // namespace

TokenTable::TokenTable(std::span<const std::string_view> texts) : texts_(texts) {
  HB_CHECK_LT(texts.size(), size_t{1} << 30);
  slots_.resize(std::bit_ceil(2 * texts.size() + 1));
  const size_t mask = slots_.size() - 1;
  for (size_t id = 0; id < texts.size(); ++id) {
    if (texts[id].empty()) continue;
    const uint32_t hash = hash_of(texts[id]);
    size_t at = hash & mask;
    while (slots_[at].id >= 0 && (slots_[at].hash != hash || texts[slots_[at].id] != texts[id])) {
      at = (at + 1) & mask;
    }
    if (slots_[at].id < 0) slots_[at] = {hash, static_cast<int32_t>(id)};
  }
}

int32_t TokenTable::find(std::string_view text) const {
  if (slots_.empty()) return -1;
  const size_t mask = slots_.size() - 1;
  const uint32_t hash = hash_of(text);
  for (size_t at = hash & mask; slots_[at].id >= 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && texts_[slots_[at].id] == text) return slots_[at].id;
  }
  return -1;
}

PairTable::PairTable(size_t max_pairs) : slots_(std::bit_ceil(2 * max_pairs + 1)) {}

size_t PairTable::slot_of(uint64_t pair) const {
  const size_t mask = slots_.size() - 1;
  size_t at = mix(pair) & mask;
  while (slots_[at].merge.id >= 0 && slots_[at].pair != pair) at = (at + 1) & mask;
  return at;
}

void PairTable::insert(int32_t left, int32_t right, Merge merge) {
  const uint64_t pair = static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  Slot& slot = slots_[slot_of(pair)];
  if (slot.merge.id < 0) slot = {pair, merge};
}

PairTable::Merge PairTable::find(int32_t left, int32_t right) const {
  const uint64_t pair = static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  return slots_[slot_of(pair)].merge;
}

}  // namespace hb
