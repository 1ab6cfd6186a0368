// What every backend asks of the sizes that an ExecutionContext is given. ERRORS: kInvalidArgument.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace hb {

// Positive sizes.
Status check_options(const ContextOptions& options);

// The rows of `values` values for the buffer: a whole number, at most max_batch.
Result<uint32_t> rows_to_write(const PlanBuffer& buffer, size_t values, uint32_t max_batch);

// Positions of a cache of `capacity`.
Status check_cache_positions(uint32_t position, uint32_t count, uint32_t capacity);

// Values of `count` positions of the plan's cache, in the canonical form.
Status check_cache_values(const Plan& plan, uint32_t count, size_t values);

}  // namespace hb
