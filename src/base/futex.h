// Sleeping on a 32-bit word until somebody changes it and says so: Linux's futex, private to the process.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace hb {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
              std::atomic<uint32_t>::is_always_lock_free);

// Returns at once if `word` is not `expected`; may also return for no reason.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

// Wakes at most `thread_count` of those who sleep on `word`.
inline void futex_wake(std::atomic<uint32_t>& word, int thread_count) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, thread_count, nullptr, nullptr, 0);
}

}  // namespace hb
