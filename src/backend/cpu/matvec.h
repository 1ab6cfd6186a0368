// The matvec op on the thread pool.
#pragma once

#include <cstdint>
#include <span>

#include "backend/cpu/activations.h"
#include "backend/cpu/cpu_shared.h"
#include "backend/cpu/matvec_group.h"
#include "backend/cpu/packed_weights.h"

namespace hb::cpu {

// Runs ops that read the same input as one loop over all their tiles, so that small ones (k and v beside q)
// do not each wait for the slowest thread.
void run_matvecs(const MatvecGroup& group, std::span<const PackedWeight> weights,
                 std::span<Activation> activations, Shared& shared);

}  // namespace hb::cpu
