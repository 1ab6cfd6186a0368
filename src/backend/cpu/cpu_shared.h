// What a CPU backend shares with its executables and contexts.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "backend/cpu/kernel_table.h"
#include "base/thread_pool.h"

namespace hb::cpu {

struct Shared {
  const KernelTable* kernels;
  std::string isa_reason;
  bool huge_pages;
  std::unique_ptr<ThreadPool> pool;
  std::mutex pool_mutex;  // held by whoever runs loops on the pool
};

}  // namespace hb::cpu
