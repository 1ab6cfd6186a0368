// From a model file to a Plan.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/gguf.h"
#include "plan/plan.h"

namespace hb {

// A plan that validate() accepts. BORROWS the file: the plan's weights are its bytes.
// ERRORS: those of read_hyperparameters(); kNotFound, kBadFile, kUnsupported for a tensor that is missing,
// has another shape than the hyper-parameters ask for, or a type that its place cannot have;
// kInvalidArgument for a factor outside the ranges of the numerics contract. All name the file.
Result<Plan> build_plan(const GgufFile& file);

// Names of the file's tensors that the plan has no use for, in the file's order.
std::vector<std::string> unused_tensors(const GgufFile& file, const Plan& plan);

}  // namespace hb
