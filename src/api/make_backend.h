// The backend that hb_model_options name.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "base/error.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {

// ERRORS: kInvalidArgument (an unknown backend, a value out of range), kUnsupported (an instruction set that
// this machine has not), kOutOfMemory; those of make_vulkan_backend().
Result<std::unique_ptr<Backend>> make_backend(const hb_model_options& options);

// `inner`, which tells `progress` how many bytes of weights it has packed. Once progress asks to stop it is
// not called again, and compile() ends with kCancelled when the packing is done: a backend cannot be
// interrupted.
std::unique_ptr<Backend> with_progress(std::unique_ptr<Backend> inner, hb_progress_fn progress, void* user);

}  // namespace hb::api
