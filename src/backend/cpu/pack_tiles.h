// Tiles of a matrix, packed by all threads of a pool.
#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "base/thread_pool.h"

namespace hb::cpu {

struct TileRange {
  uint32_t first, count;
};

// Packs tiles (pack.h) one behind the other into `out`, and reports the file's bytes that are done to
// `options`. ERRORS: kBadFile, that of the lowest tile, whatever the threads' order.
Status pack_tiles(const PlanWeight& weight, TileRange tiles, uint8_t* out, const CompileOptions& options,
                  ThreadPool& pool);

}  // namespace hb::cpu
