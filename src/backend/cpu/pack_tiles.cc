#include "backend/cpu/pack_tiles.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "backend/cpu/pack.h"
#include "backend/cpu/tile_layout.h"
#include "quant/weight_block.h"

namespace hb::cpu {
namespace {

// The file's bytes of the rows of tiles [first, last).
std::span<const uint8_t> bytes_of_tiles(const PlanWeight& weight, uint32_t first, uint32_t last) {
  const uint64_t stride = row_bytes(weight.type, weight.cols);
  const uint64_t begin = first * uint64_t{kTileRows} * stride;
  const uint64_t end = std::min<uint64_t>(last * uint64_t{kTileRows}, weight.rows) * stride;
  return weight.bytes.subspan(begin, end - begin);
}

}  // namespace

Status pack_tiles(const PlanWeight& weight, TileRange tiles, uint8_t* out, const CompileOptions& options,
                  ThreadPool& pool) {
  const size_t bytes = tile_bytes(weight.type, weight.cols);
  const auto per_chunk = static_cast<uint32_t>(std::max<size_t>(1, (256 << 10) / bytes));
  std::mutex mutex;                                       // guards first_error
  std::optional<std::pair<uint32_t, Error>> first_error;  // the lowest tile's
  pool.parallel_for((tiles.count + per_chunk - 1) / per_chunk, [&](uint32_t chunk, uint32_t) {
    const uint32_t begin = chunk * per_chunk, end = std::min(tiles.count, begin + per_chunk);
    for (uint32_t tile = begin; tile < end; ++tile) {
      const Status status = pack_tile(weight, tiles.first + tile, out + tile * bytes);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (!first_error || tile < first_error->first) first_error = {tile, status.error()};
    }
    if (options.bytes_done != nullptr)
      options.bytes_done(options.user, bytes_of_tiles(weight, tiles.first + begin, tiles.first + end));
  });
  if (first_error) return std::unexpected(first_error->second);
  return {};
}

}  // namespace hb::cpu
