// A backend with another behind it: when the first one's device fails, the second goes on, with the same
// bits.
//
// The failed device's cache is lost, so the second backend evaluates the sequence's tokens again. What comes
// out is what would have come out anyway, only later: equal bits on all backends, for any split into batches.
#pragma once

#include <functional>
#include <memory>

#include "backend/backend.h"

namespace hb {

struct FallbackOptions {
  std::unique_ptr<Backend> first;
  // Made when the first one fails.
  std::function<Result<std::unique_ptr<Backend>>()> make_second;
  // Called with the failure each time a sequence moves. Nullptr: nobody is told.
  std::function<void(const Error&)> failed = nullptr;
};

// Unlike other backends', its executables read the plan's weights after compile(): the model file must stay
// open. THREADS: as the backends behind it.
std::unique_ptr<Backend> make_fallback_backend(FallbackOptions options);

}  // namespace hb
