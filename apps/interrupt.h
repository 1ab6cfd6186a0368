// Ctrl-C as a request to stop, instead of the end of the process.
#pragma once

namespace hb {

constexpr int kExitInterrupted = 130;  // what shells expect after SIGINT

// While one lives, the first SIGINT only sets a flag, and a second one that comes before clear() ends the
// process. THREADS: one at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  bool requested() const;
  void clear();
};

}  // namespace hb
