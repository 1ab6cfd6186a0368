// From GGUF's rows of blocks to the tiles of tile_layout.h.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "plan/plan.h"

namespace hb::cpu {

// Packs tile `tile` (rows 32 * tile …) of `weight` into `out`, tile_bytes(weight.type, weight.cols) long, and
// checks the rows against the contract's ranges. ERRORS: kBadFile, naming the weight and the row.
Status pack_tile(const PlanWeight& weight, uint32_t tile, uint8_t* out);

// Row `row` of a matrix packed at `tiles`, as floats in the contract's arithmetic (the embed op).
void unpack_row(TensorType type, const uint8_t* tiles, uint32_t cols, uint32_t row, float* out);

}  // namespace hb::cpu
