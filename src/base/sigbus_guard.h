// The SIGBUS handler behind MappedFile: replaces vanished pages of registered ranges by zeros.
#pragma once

#include <cstddef>

namespace hb {

// Registers [data, data + size_bytes) and installs the handler the first time. Returns a slot, or -1 if all
// 64 are taken (the range is then unguarded: a vanished page ends the process, as it would without the
// guard). THREADS: any; the handler itself only reads atomics and calls mmap.
int sigbus_guard_add(void* data, size_t size_bytes);
void sigbus_guard_remove(int slot);

// True once a page of the slot's range had to be replaced.
bool sigbus_guard_was_hit(int slot);

}  // namespace hb
