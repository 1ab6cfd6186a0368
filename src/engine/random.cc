#include "engine/random.h"

namespace hb {
namespace {

constexpr uint32_t kMultiplier0 = 0xd2511f53u;
constexpr uint32_t kMultiplier1 = 0xcd9e8d57u;
constexpr uint32_t kWeyl0 = 0x9e3779b9u;
constexpr uint32_t kWeyl1 = 0xbb67ae85u;
constexpr int kRounds = 10;

uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t{kMultiplier0} * counter[0];
    const uint64_t b = uint64_t{kMultiplier1} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

float uniform_draw(uint64_t seed, uint64_t index) {
  const auto words = philox4x32({low(index), high(index), 0, 0}, {low(seed), high(seed)});
  return static_cast<float>(words[0] >> 8) * 0x1p-24f;
}

}  // namespace hb
