#include "base/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/check.h"
#include "base/futex.h"

namespace hb {
namespace {

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // "yield" does nothing on most cores
#endif
}

// Spins until ready(), for at most spin_us. The last answer of ready().
// The first quarter of the time only pauses; then the core is offered to others. With more threads than cores
// that is the difference between 1.05 and 2 times the ideal loop time (5 threads on 2 cores, chunks of 2 us).
template <class Ready>
bool spin_until(Ready ready, uint32_t spin_us) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPausesPerClockRead = 16;
  if (ready()) return true;
  const auto begin = Clock::now();
  const auto polite = begin + std::chrono::nanoseconds(250) * spin_us;
  const auto deadline = begin + std::chrono::microseconds(spin_us);
  auto now = begin;
  do {
    for (int i = 0; i < kPausesPerClockRead; ++i) {
      pause_core();
      if (ready()) return true;
    }
    if (now > polite) ::sched_yield();
    now = Clock::now();
  } while (now < deadline);
  return false;
}

// While one lives, signals from outside wait, and threads that are started inherit that: a process's signals
// are for the threads of its own, which may wait for them. Faults (a mapped file that shrank) stay where they
// are.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t outside;
    ::sigfillset(&outside);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
      ::sigdelset(&outside, fault);
    ::pthread_sigmask(SIG_BLOCK, &outside, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

struct Interval {
  uint32_t begin, end;
};

// The chunks of one of `range_count` ranges that differ by at most one in length.
Interval range_of(uint32_t index, uint32_t range_count, uint32_t chunk_count) {
  const auto boundary = [&](uint64_t i) { return static_cast<uint32_t>(chunk_count * i / range_count); };
  return {boundary(index), boundary(index + 1)};
}

}  // namespace

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(const ThreadPoolOptions& options) {
  if (options.thread_count == 0 || options.thread_count > kMaxThreads) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} threads asked for; it may be 1 to {}", options.thread_count, kMaxThreads));
  }
  std::unique_ptr<ThreadPool> pool(new ThreadPool(options.thread_count, options.spin_us));
  if (options.cpu_mask.empty()) {
    HB_TRY(pool->start_workers(options.thread_count - 1));
    return pool;
  }
  // Threads inherit the mask of the thread that starts them.
  const CpuMask own_mask = CpuMask::of_this_thread();
  HB_TRY(options.cpu_mask.apply_to_this_thread());
  const Status started = pool->start_workers(options.thread_count - 1);
  HB_TRY(own_mask.apply_to_this_thread());
  HB_TRY(started);
  return pool;
}

ThreadPool::ThreadPool(uint32_t thread_count, uint32_t spin_us) : ranges_(thread_count), spin_us_(spin_us) {}

Status ThreadPool::start_workers(uint32_t worker_count) {
  workers_.reserve(worker_count);
  const SignalsBlocked blocked;
  try {
    while (workers_.size() < worker_count) {
      workers_.emplace_back(&ThreadPool::work, this, static_cast<uint32_t>(workers_.size()) + 1);
    }
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kOutOfMemory,
                fmt::format("cannot start thread {} of {}: {}; ask for fewer threads", thread_count() + 1,
                            worker_count + 1, error.what()));
  }
  return {};
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  wake_sleepers(kMaxThreads);
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const Job& job) {
  HB_CHECK(!in_use_);
  in_use_ = true;
  publish(job);
  claim_chunks(0);
  wait_until_done(job.chunk_count);
  in_use_ = false;
}

void ThreadPool::publish(const Job& job) {
  call_.store(job.call, std::memory_order_relaxed);
  body_.store(job.body, std::memory_order_relaxed);
  chunk_count_.store(job.chunk_count, std::memory_order_relaxed);
  done_count_.store(0, std::memory_order_relaxed);
  const auto range_count = static_cast<uint32_t>(ranges_.size());
  // The caller's own range last: a worker that sees the first one open finds its own open, too, or soon.
  for (uint32_t i = range_count; i-- > 0;) {
    const Interval range = range_of(i, range_count, job.chunk_count);
    if (range.begin != range.end) ranges_[i].ticket.open(range.end - range.begin);
  }
  if (sleeper_count_.load() != 0) wake_sleepers(job.chunk_count - 1);
}

bool ThreadPool::has_unclaimed() const {
  return std::ranges::any_of(ranges_,
                             [](const Range& range) { return range.ticket.look().unclaimed() != 0; });
}

// Claims and runs chunks until none is left, beginning with the thread's own range.
void ThreadPool::claim_chunks(uint32_t thread_index) {
  const auto range_count = static_cast<uint32_t>(ranges_.size());
  uint32_t finished = 0;
  for (uint32_t i = 0; i < range_count; ++i) {
    finished += claim_from((thread_index + i) % range_count, thread_index);
  }
  if (finished == 0) return;
  const uint32_t chunk_count = chunk_count_.load(std::memory_order_relaxed);
  const bool last = done_count_.fetch_add(finished) + finished == chunk_count;
  if (last && caller_sleeps_.load()) futex_wake(done_count_, 1);
}

// Returns how many chunks of the range this thread has run.
uint32_t ThreadPool::claim_from(uint32_t range_index, uint32_t thread_index) {
  ChunkTicket& ticket = ranges_[range_index].ticket;
  uint32_t finished = 0;
  for (auto seen = ticket.look(); seen.unclaimed() != 0;) {
    const auto call = call_.load(std::memory_order_relaxed);
    const void* body = body_.load(std::memory_order_relaxed);
    const uint32_t chunk_count = chunk_count_.load(std::memory_order_relaxed);
    if (!ticket.claim(seen)) continue;
    const Interval range = range_of(range_index, static_cast<uint32_t>(ranges_.size()), chunk_count);
    call(body, range.end - seen.unclaimed(), thread_index);
    ++finished;
    seen = ticket.look();
  }
  return finished;
}

void ThreadPool::wait_until_done(uint32_t chunk_count) {
  const auto done = [&] { return done_count_.load(std::memory_order_acquire) == chunk_count; };
  if (spin_until(done, spin_us_)) return;
  caller_sleeps_.store(true);
  for (uint32_t count = done_count_.load(); count != chunk_count; count = done_count_.load()) {
    futex_wait(done_count_, count);
  }
  caller_sleeps_.store(false);
}

void ThreadPool::work(uint32_t thread_index) {
  const auto has_work = [&] { return has_unclaimed() || stop_.load(); };
  while (!stop_.load()) {
    if (!spin_until(has_work, spin_us_)) sleep_until_woken();
    claim_chunks(thread_index);
  }
}

void ThreadPool::sleep_until_woken() {
  sleeper_count_.fetch_add(1);
  const uint32_t wake_count = wake_count_.load();
  if (!has_unclaimed() && !stop_.load()) futex_wait(wake_count_, wake_count);
  sleeper_count_.fetch_sub(1);
}

void ThreadPool::wake_sleepers(uint32_t thread_count) {
  wake_count_.fetch_add(1);
  futex_wake(wake_count_, static_cast<int>(std::min(thread_count, kMaxThreads)));
}

}  // namespace hb
