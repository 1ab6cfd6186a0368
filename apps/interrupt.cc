#include "apps/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace hb {
namespace {

volatile sig_atomic_t interrupted = 0;

void note_interrupt(int) {
  if (interrupted != 0) ::_exit(kExitInterrupted);
  interrupted = 1;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // without SA_RESTART: a read from the terminal ends
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace

InterruptScope::InterruptScope() {
  clear();
  set_handler(note_interrupt);
}

InterruptScope::~InterruptScope() { set_handler(SIG_DFL); }

bool InterruptScope::requested() const { return interrupted != 0; }

void InterruptScope::clear() { interrupted = 0; }

}  // namespace hb
