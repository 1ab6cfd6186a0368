// The epilogue of a matvec as a word, for GPU kernels: epilogue.glsl and epilogue.clh read it.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace hb {

enum MatvecFlags : uint32_t {
  kHasBias = 1,
  kHasResidual = 2,
  kSiluGate = 4,
  kGeluGate = 8,
  kRawProduct = 16  // of the `up` weight: nothing is done to it
};

inline uint32_t matvec_flags(const MatvecOp& op) {
  uint32_t flags = 0;
  if (op.bias != kNone) flags |= kHasBias;
  if (op.residual != kNone) flags |= kHasResidual;
  if (op.gate == MatvecOp::Gate::kSilu) flags |= kSiluGate;
  if (op.gate == MatvecOp::Gate::kGelu) flags |= kGeluGate;
  return flags;
}

}  // namespace hb
