// What a backend needs to know of a plan's weights to pack them and to tell their kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace hb {

// Which kind of op reads a weight.
enum class WeightReader { kNone, kEmbed, kMatvec, kNorm, kBias };

// Of each weight of the plan, in its order. An embedding table that is also the output matrix is the
// matvec's.
std::vector<WeightReader> weight_readers(const Plan& plan);

// Norms and biases are read as vectors of floats. Everything else is a matrix or an embedding table.
constexpr bool is_vector(WeightReader reader) { return reader >= WeightReader::kNorm; }

// A vector's values. REQUIRES: values.size() == weight.cols. ERRORS: kBadFile, naming the weight.
Status load_vector(const PlanWeight& weight, std::span<float> values);

}  // namespace hb
