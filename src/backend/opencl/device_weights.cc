#include "backend/opencl/device_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cpu/pack_tiles.h"
#include "backend/cpu/tile_layout.h"
#include "backend/weight_reader.h"

namespace hb::opencl {
namespace {

Status fill_vector(const PlanWeight& weight, const Buffer& buffer, Queue& queue) {
  std::vector<float> values(weight.cols);
  HB_TRY(load_vector(weight, values));
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
    const Status packed =
        cpu::pack_tiles(weight, {part.first_tile, part.tiles}, mapped, options, upload.pool);
    HB_TRY(upload.queue.unmap(part.buffer, mapped));
    HB_TRY(packed);
    device.parts.push_back(std::move(part));
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceWeight>> upload_weights(const Plan& plan, const CompileOptions& options,
                                                 const WeightUpload& upload) {
  const std::vector<WeightReader> readers = weight_readers(plan);
  std::vector<DeviceWeight> weights;
  weights.reserve(plan.weights.size());
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlanWeight& weight = plan.weights[i];
    DeviceWeight device = {weight.type, weight.rows, weight.cols, {}};
    if (is_vector(readers[i])) {
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
