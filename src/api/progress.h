// The C progress callback as the engine's: there 0 goes on, here true does.
#pragma once

#include "engine/session.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {

inline Session::Progress session_progress(hb_progress_fn progress, void* user) {
  if (progress == nullptr) return nullptr;
  return [progress, user](uint32_t done, uint32_t total) { return progress(user, done, total) == 0; };
}

}  // namespace hb::api
