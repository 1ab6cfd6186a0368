#include "backend/cpu/packed_weights.h"

#include "backend/cpu/pack_tiles.h"
#include "backend/cpu/tile_layout.h"
#include "backend/weight_reader.h"

namespace hb::cpu {
namespace {

Status pack_weight(const PlanWeight& weight, PackedWeight& packed, const CompileOptions& options,
                   ThreadPool& pool) {
  if (packed.is_vector)
    return load_vector(weight, {reinterpret_cast<float*>(packed.data.data()), weight.cols});
  return pack_tiles(weight, {0, tile_count(weight.rows)}, packed.data.data(), options, pool);
}

// Everything but the data.
std::vector<PackedWeight> describe_weights(const Plan& plan) {
  const std::vector<WeightReader> readers = weight_readers(plan);
  std::vector<PackedWeight> packed;
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlanWeight& weight = plan.weights[i];
    packed.push_back({weight.type,
                      weight.rows,
                      weight.cols,
                      is_vector(readers[i]),
                      tile_bytes(weight.type, weight.cols),
                      {}});
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
