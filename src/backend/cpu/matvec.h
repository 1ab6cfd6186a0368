// The matvec op on the thread pool.
#pragma once

#include <cstdint>
#include <span>

#include "backend/cpu/activations.h"
#include "backend/cpu/cpu_shared.h"
#include "backend/cpu/packed_weights.h"
#include "plan/plan.h"

namespace hb::cpu {

// Runs ops that read the same input as one loop over all their tiles, so that small ones (k and v beside q)
// do not each wait for the slowest thread. REQUIRES: none of the ops reads what another one writes.
void run_matvecs(std::span<const MatvecOp> ops, std::span<const PackedWeight> weights,
                 std::span<Activation> activations, Shared& shared);

}  // namespace hb::cpu
