// Is a plan well-formed? Every backend asks before it compiles one.
#pragma once

#include "base/error.h"
#include "plan/plan.h"

namespace hb {

// Checks that what the ops name exists, that shapes and kinds agree, that each weight has the bytes of its
// shape, and that the numbers in the ops are within the ranges of docs/numerics.md. Does not read the
// weights. ERRORS: kInvalidArgument, with the op's number and kind, and what does not agree.
Status validate(const Plan& plan);

}  // namespace hb
