#include "backend/cpu/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "backend/cpu/pack.h"
#include "backend/cpu/tile_layout.h"
#include "quant/weight_block.h"

namespace hb::cpu {
namespace {

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

Status pack_vector(const PlanWeight& weight, std::span<uint8_t> out) {
  if (const Status status = check_row(weight.type, weight.bytes.data(), weight.cols); !status) {
    return std::unexpected(status.error().within(fmt::format("tensor '{}'", weight.name)));
  }
  auto* values = reinterpret_cast<float*>(out.data());
  for (uint32_t i = 0; i < weight.cols; ++i) values[i] = load_float(weight.type, weight.bytes.data(), i);
  return {};
}

// The file's bytes of the rows of tiles [first, last).
std::span<const uint8_t> bytes_of_tiles(const PlanWeight& weight, uint32_t first, uint32_t last) {
  const uint64_t stride = row_bytes(weight.type, weight.cols);
  const uint64_t begin = first * uint64_t{kTileRows} * stride;
  const uint64_t end = std::min<uint64_t>(last * uint64_t{kTileRows}, weight.rows) * stride;
  return weight.bytes.subspan(begin, end - begin);
}

Status pack_matrix(const PlanWeight& weight, PackedWeight& packed, const CompileOptions& options,
                   ThreadPool& pool) {
  const uint32_t tiles = tile_count(weight.rows);
  const uint32_t tiles_per_chunk =
      std::max<uint32_t>(1, static_cast<uint32_t>((256 << 10) / packed.tile_bytes));
  const uint32_t chunks = (tiles + tiles_per_chunk - 1) / tiles_per_chunk;
  std::mutex mutex;                                       // guards first_error
  std::optional<std::pair<uint32_t, Error>> first_error;  // the lowest tile's, whatever the threads' order
  pool.parallel_for(chunks, [&](uint32_t chunk, uint32_t) {
    const uint32_t end = std::min(tiles, (chunk + 1) * tiles_per_chunk);
    const uint32_t begin = chunk * tiles_per_chunk;
    for (uint32_t tile = begin; tile < end; ++tile) {
      const Status status = pack_tile(weight, tile, packed.data.data() + tile * packed.tile_bytes);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (!first_error || tile < first_error->first) first_error = {tile, status.error()};
    }
    if (options.bytes_done != nullptr) options.bytes_done(options.user, bytes_of_tiles(weight, begin, end));
  });
  if (first_error) return std::unexpected(first_error->second);
  return {};
}

Status pack_weight(const PlanWeight& weight, PackedWeight& packed, const CompileOptions& options,
                   ThreadPool& pool) {
  if (packed.is_vector) return pack_vector(weight, packed.data);
  return pack_matrix(weight, packed, options, pool);
}

// Everything but the data.
std::vector<PackedWeight> describe_weights(const Plan& plan) {
  const std::vector<bool> is_vector = find_vectors(plan);
  std::vector<PackedWeight> packed;
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlanWeight& weight = plan.weights[i];
    packed.push_back(
        {weight.type, weight.rows, weight.cols, is_vector[i], tile_bytes(weight.type, weight.cols), {}});
  }
  return packed;
}

// A multiple of the buffer's alignment.
size_t storage_bytes(const PackedWeight& weight) {
  const size_t size =
      weight.is_vector ? weight.cols * sizeof(float) : weight.tile_bytes * tile_count(weight.rows);
  return (size + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment * AlignedBuffer::kAlignment;
}

Result<PackedWeights> allocate_weights(const Plan& plan, AlignedBuffer::Pages pages) {
  PackedWeights packed = {{}, describe_weights(plan)};
  size_t size = 0;
  for (const PackedWeight& weight : packed.weights) size += storage_bytes(weight);
  HB_ASSIGN(packed.storage, AlignedBuffer::allocate(size, pages));
  auto rest = packed.storage.as<uint8_t>();
  for (PackedWeight& weight : packed.weights) {
    weight.data = rest.first(storage_bytes(weight));
    rest = rest.subspan(weight.data.size());
  }
  return packed;
}

}  // namespace

Result<PackedWeights> pack_weights(const Plan& plan, const CompileOptions& options, Shared& shared) {
  const std::lock_guard lock(shared.pool_mutex);
  HB_ASSIGN(PackedWeights packed, allocate_weights(plan, shared.huge_pages ? AlignedBuffer::Pages::kHuge
                                                                           : AlignedBuffer::Pages::kNormal));
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    HB_TRY(pack_weight(plan.weights[i], packed.weights[i], options, *shared.pool));
    HB_TRY(options.report_done(plan.weights[i]));
  }
  return packed;
}

}  // namespace hb::cpu
