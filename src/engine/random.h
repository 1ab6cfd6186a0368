// Philox4x32-10: a random generator without state. A (key, counter) pair gives the same four words on every
// machine, so a draw can be repeated, skipped or taken out of order.
// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace hb {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// The draw number `index` of the stream `seed`: a multiple of 2^-24 in [0, 1).
float uniform_draw(uint64_t seed, uint64_t index);

}  // namespace hb
