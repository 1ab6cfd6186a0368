#include "base/sigbus_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace hb {
namespace {

struct Range {
  std::atomic<uintptr_t> begin{0};  // 0: the slot is free
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> hit{false};
};

std::array<Range, 64> g_ranges;
std::mutex g_mutex;  // guards the choice of slots, never taken in the handler
struct sigaction g_previous{};
uintptr_t g_page_size = 4096;

bool replace_page(uintptr_t address) {
  for (Range& range : g_ranges) {
    const uintptr_t begin = range.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= range.end.load(std::memory_order_acquire)) continue;
    void* page = reinterpret_cast<void*>(address / g_page_size * g_page_size);
    range.hit.store(true, std::memory_order_release);
    return ::mmap(page, g_page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void forward_to_previous(int signal, siginfo_t* info, void* context) {
  if (g_previous.sa_flags & SA_SIGINFO) {
    g_previous.sa_sigaction(signal, info, context);
  } else if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
    g_previous.sa_handler(signal);
  } else {
    ::sigaction(SIGBUS, &g_previous, nullptr);  // returning repeats the fault under the default action
  }
}

void on_sigbus(int signal, siginfo_t* info, void* context) {
  if (!replace_page(reinterpret_cast<uintptr_t>(info->si_addr))) forward_to_previous(signal, info, context);
}

void install_handler() {
  g_page_size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action{};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &g_previous);
}

}  // namespace

int sigbus_guard_add(void* data, size_t size_bytes) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  const std::lock_guard lock(g_mutex);
  for (size_t slot = 0; slot < g_ranges.size(); ++slot) {
    Range& range = g_ranges[slot];
    if (range.begin.load() != 0) continue;
    const auto begin = reinterpret_cast<uintptr_t>(data);
    range.hit.store(false);
    range.end.store(begin + size_bytes, std::memory_order_release);
    range.begin.store(begin, std::memory_order_release);
    return static_cast<int>(slot);
  }
  return -1;
}

void sigbus_guard_remove(int slot) {
  if (slot < 0) return;
  g_ranges[static_cast<size_t>(slot)].begin.store(0, std::memory_order_release);
}

bool sigbus_guard_was_hit(int slot) {
  return slot >= 0 && g_ranges[static_cast<size_t>(slot)].hit.load(std::memory_order_acquire);
}

}  // namespace hb
