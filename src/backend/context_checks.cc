#include "backend/context_checks.h"

#include <fmt/format.h>

namespace hb {

Status check_options(const ContextOptions& options) {
  if (options.capacity != 0 && options.max_batch != 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("a context of {} positions and batches of {}; both must be positive",
                          options.capacity, options.max_batch));
}

Result<uint32_t> rows_to_write(const PlanBuffer& buffer, size_t values, uint32_t max_batch) {
  const size_t rows = values / buffer.width;
  if (values % buffer.width == 0 && rows <= max_batch) return static_cast<uint32_t>(rows);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} values are no rows of {} for buffer '{}' of at most {} rows", values,
                          buffer.width, buffer.name, max_batch));
}

Status check_cache_positions(uint32_t position, uint32_t count, uint32_t capacity) {
  if (uint64_t{position} + count <= capacity) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("cache positions {} to {} of a context of {}",
                                                       position, uint64_t{position} + count, capacity));
}

Status check_cache_values(const Plan& plan, uint32_t count, size_t values) {
  size_t expected = 0;
  for (const CacheLayer& layer : plan.cache_layers)
    expected += size_t{2} * count * layer.kv_heads * layer.head_dim;
  if (values == expected) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} cache values for {} positions, which need {}", values, count, expected));
}

}  // namespace hb
