// The angles of a model's rotary embedding: base frequencies and the ways to stretch them over longer
// contexts.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "model/gguf.h"
#include "model/hparams.h"
#include "plan/plan.h"

namespace hb {

// Pair i of rope_dims / 2 turns by base^(-2i / rope_dims) radians a position, then scaled:
//   linear   frequency / factor
//   yarn     a mix of frequency / factor and frequency, by how often the pair turns within the original
//   context factors  frequency / factors[i] (Llama 3.1 and later)
// Sliding layers have their own base and are never scaled.
// REQUIRES: `factors` has rope_dims / 2 elements where the scaling is kFrequencyFactors.
// ERRORS: kBadFile where a frequency is not finite, or too high for exact angles at the longest context.
Result<RopeTable> make_rope_table(const Hyperparameters& hparams, bool sliding,
                                  std::span<const float> factors);

inline constexpr const char* kRopeFactorsTensor = "rope_freqs.weight";

// The elements of that tensor. ERRORS: kBadFile where it has another shape or is quantised.
// REQUIRES: the file has the tensor.
Result<std::vector<float>> read_rope_factors(const GgufFile& file, uint32_t count);

}  // namespace hb
