#include "backend/opencl/device_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "backend/cpu/pack.h"
#include "backend/cpu/tile_layout.h"
#include "quant/weight_block.h"

namespace hb::opencl {
namespace {

using cpu::kTileRows;

// Weights that ops read as vectors: norms and biases. Everything else is a matrix or an embedding table.
std::vector<bool> find_vectors(const Plan& plan) {
  std::vector<bool> is_vector(plan.weights.size(), false);
  for (const Op& op : plan.ops) {
    if (const auto* norm = std::get_if<RmsNormOp>(&op)) is_vector[norm->weight] = true;
    if (const auto* matvec = std::get_if<MatvecOp>(&op); matvec && matvec->bias != kNone)
      is_vector[matvec->bias] = true;
  }
  return is_vector;
}

// The file's bytes of tiles [first, last).
std::span<const uint8_t> bytes_of_tiles(const PlanWeight& weight, uint32_t first, uint32_t last) {
  const uint64_t stride = row_bytes(weight.type, weight.cols);
  const uint64_t begin = first * uint64_t{kTileRows} * stride;
  const uint64_t end = std::min<uint64_t>(last * uint64_t{kTileRows}, weight.rows) * stride;
  return weight.bytes.subspan(begin, end - begin);
}

// Packs the tiles of a part on the pool. The error is that of the lowest tile, whatever the threads' order.
Status pack_tiles(const PlanWeight& weight, const WeightPart& part, uint8_t* out,
                  const CompileOptions& options, ThreadPool& pool) {
  const size_t bytes = cpu::tile_bytes(weight.type, weight.cols);
  const auto chunk_tiles = static_cast<uint32_t>(std::max<size_t>(1, (256u << 10) / bytes));
  std::mutex mutex;  // guards first_error
  std::optional<std::pair<uint32_t, Error>> first_error;
  pool.parallel_for((part.tiles + chunk_tiles - 1) / chunk_tiles, [&](uint32_t chunk, uint32_t) {
    const uint32_t begin = chunk * chunk_tiles, end = std::min(part.tiles, begin + chunk_tiles);
    for (uint32_t tile = begin; tile < end; ++tile) {
      const Status status = cpu::pack_tile(weight, part.first_tile + tile, out + tile * bytes);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (!first_error || tile < first_error->first) first_error = {tile, status.error()};
    }
    if (options.bytes_done != nullptr)
      options.bytes_done(options.user,
                         bytes_of_tiles(weight, part.first_tile + begin, part.first_tile + end));
  });
  if (first_error) return std::unexpected(first_error->second);
  return {};
}

Status fill_vector(const PlanWeight& weight, const Buffer& buffer, Queue& queue) {
  if (const Status status = check_row(weight.type, weight.bytes.data(), weight.cols); !status)
    return std::unexpected(status.error().within(fmt::format("tensor '{}'", weight.name)));
  std::vector<float> values(weight.cols);
  for (uint32_t i = 0; i < weight.cols; ++i) values[i] = load_float(weight.type, weight.bytes.data(), i);
  return queue.write(buffer, 0, values.data(), values.size() * sizeof(float));
}

Status add_matrix(const PlanWeight& weight, const CompileOptions& options, const WeightUpload& upload,
                  DeviceWeight& device) {
  const size_t bytes = cpu::tile_bytes(weight.type, weight.cols);
  const uint64_t limit = upload.queue.device()->facts().max_allocation;
  if (bytes > limit) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("tensor '{}': 32 rows of {} columns take {} bytes, and the device "
                            "allocates at most {}",
                            weight.name, weight.cols, bytes, limit));
  }
  const uint32_t tiles = cpu::tile_count(weight.rows);
  const auto most = static_cast<uint32_t>(std::min<uint64_t>(limit / bytes, tiles));
  for (uint32_t first = 0; first < tiles; first += most) {
    WeightPart part = {first, std::min(most, tiles - first), {}};
    HB_ASSIGN(part.buffer,
              new_buffer(upload.queue.device(), part.tiles * bytes, fmt::format("tensor '{}'", weight.name)));
    HB_ASSIGN(uint8_t* const mapped, upload.queue.map_for_writing(part.buffer));
    const Status packed = pack_tiles(weight, part, mapped, options, upload.pool);
    HB_TRY(upload.queue.unmap(part.buffer, mapped));
    HB_TRY(packed);
    device.parts.push_back(std::move(part));
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceWeight>> upload_weights(const Plan& plan, const CompileOptions& options,
                                                 const WeightUpload& upload) {
  const std::vector<bool> is_vector = find_vectors(plan);
  std::vector<DeviceWeight> weights;
  weights.reserve(plan.weights.size());
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlanWeight& weight = plan.weights[i];
    DeviceWeight device = {weight.type, weight.rows, weight.cols, {}};
    if (is_vector[i]) {
      HB_ASSIGN(Buffer buffer, new_buffer(upload.queue.device(), uint64_t{weight.cols} * sizeof(float),
                                          fmt::format("tensor '{}'", weight.name)));
      HB_TRY(fill_vector(weight, buffer, upload.queue));
      device.parts.push_back({0, 1, std::move(buffer)});
    } else {
      HB_TRY(add_matrix(weight, options, upload, device));
    }
    weights.push_back(std::move(device));
    HB_TRY(options.report_done(weight));
  }
  return weights;
}

}  // namespace hb::opencl
