// A list of kernel runs with all their arguments set, made once and enqueued for every batch.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <variant>
#include <vector>

#include "backend/opencl/programs.h"

namespace hb::opencl {

struct BatchShape {
  uint32_t position = 0;  // of the first row
  uint32_t rows = 1;
  uint32_t outputs = 1;  // last rows whose logits are wanted
};

// Work-items in x, and rows in y. A zero: nothing runs.
struct Extent {
  uint32_t x = 1, y = 1;
};

// One kernel run. Arguments are buffers and words, in the order of the kernel's parameters.
struct Dispatch {
  const Kernel* kernel = nullptr;
  std::vector<std::variant<cl_mem, uint32_t>> arguments;
  uint32_t group_x = 1;  // work-items of a work-group
  std::function<Extent(const BatchShape&)> extent;

  void add(const Buffer& buffer) { arguments.emplace_back(buffer.handle()); }
  void add(uint32_t word) { arguments.emplace_back(word); }
  void add_float(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    add(word);
  }
};

struct EnqueueOptions {
  uint32_t flush_every = 0;  // kernels after which the queue is flushed; 0: only at the end
  bool wait = false;         // also wait there
};

// OWNS kernel objects; BORROWS the buffers that dispatches name.
class Recording {
 public:
  static Result<Recording> create(Programs& programs, std::vector<Dispatch> dispatches);

  // Enqueues everything. ERRORS: kDevice, kOutOfMemory.
  Status enqueue(const BatchShape& shape, Queue& queue, const EnqueueOptions& options) const;

 private:
  struct Step {
    KernelObject kernel;
    Dispatch dispatch;
  };
  std::vector<Step> steps_;
};

}  // namespace hb::opencl
