// What an engine asks of a backend. An engine knows plans and this interface, never a device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace hb {

// Tokens at consecutive positions, to be run through the plan in one go.
struct Batch {
  std::span<const int32_t> tokens;
  uint32_t position = 0;      // of the first token
  uint32_t output_count = 1;  // logits are wanted for that many last tokens; 0: only fill the cache
};

inline int32_t likeliest_token(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

// The changing half of a running model: its KV cache and activations. OWNS its memory, BORROWS its
// Executable. THREADS: one thread at a time; several contexts of one Executable may run at once.
class ExecutionContext {
 public:
  virtual ~ExecutionContext() = default;

  virtual uint32_t capacity() const = 0;   // positions that the cache holds
  virtual uint32_t max_batch() const = 0;  // tokens a forward() takes at most

  // Runs every op of the plan; afterwards the cache holds the tokens' positions.
  // REQUIRES: 1 to max_batch() tokens, each in [0, vocab); position + tokens <= capacity(); output_count <=
  // tokens. ERRORS: kDevice.
  virtual Status forward(const Batch& batch) = 0;

  // Evaluates `token` at `position`, chooses the likeliest token (the largest logit; of equals the lowest
  // id), evaluates that at the next position, and so on: `count` evaluations. Returns the `count` choices;
  // logits() are those of the last. A device may do all this without asking the host. REQUIRES: the plan has
  // logits; 1 <= count <= max_batch(); position + count <= capacity(). ERRORS: those of forward().
  virtual Result<std::vector<int32_t>> decode_greedily(int32_t token, uint32_t position, uint32_t count) {
    std::vector<int32_t> chosen;
    for (uint32_t i = 0; i < count; ++i) {
      HB_TRY(forward({{&token, 1}, position + i, 1}));
      token = likeliest_token(logits());
      chosen.push_back(token);
    }
    return chosen;
  }

  // (output_count, vocab) floats of the last forward(); valid until the next one.
  virtual std::span<const float> logits() = 0;

  // Activations by number: for tests, dumps and first-divergence search.
  // Reading gives the rows of the last forward(), or of a later write; a Q8 buffer reads as code * scale.
  // Writing sets the first rows, as input of the next forward(); it quantises what it writes to a Q8 buffer.
  // REQUIRES: values (rows, width), as an op would store them: +0 or a magnitude in [2^-44, 2^40].
  // ERRORS: kInvalidArgument for a size that is no number of rows up to max_batch().
  virtual Result<std::vector<float>> read_buffer(BufferId buffer) = 0;
  virtual Status write_buffer(BufferId buffer, std::span<const float> values) = 0;

  // Cache rows in the canonical form (count, kv_heads, head_dim) f16, keys then values, layer by layer: the
  // same bytes for every backend. Used to save, load and share sessions. ERRORS: kInvalidArgument for
  // positions beyond the capacity, or rows of another size.
  virtual Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) = 0;
  virtual Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) = 0;
};

struct ContextOptions {
  uint32_t capacity = 4096;
  uint32_t max_batch = 512;
};

// Which kernel runs an op, and why: printed by `halfbyte inspect` and put into every record.
struct KernelChoice {
  std::string op;
  std::string kernel;
  std::string reason;
};

// A compiled plan: packed weights and chosen kernels. Immutable. OWNS its weights; the model file may be
// closed.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual const Plan& plan() const = 0;
  virtual uint64_t weight_bytes() const = 0;  // resident, packed
  virtual std::vector<KernelChoice> kernel_choices() const = 0;
  virtual Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) = 0;
};

struct CompileOptions {
  // Called when a weight is ready: for progress.
  void (*weight_done)(void* user, const PlanWeight& weight) = nullptr;
  // Called when a part of a weight's bytes will not be read again, so that the file's pages can be released
  // while the rest is still being packed. THREADS: from any of the backend's.
  void (*bytes_done)(void* user, std::span<const uint8_t> bytes) = nullptr;
  void* user = nullptr;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;         // "ref", "cpu", …
  virtual std::string description() const = 0;  // device, instruction set, threads
  // ERRORS: kBadFile (a weight outside the contract's ranges, with its name and row), kUnsupported,
  // kOutOfMemory.
  virtual Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) = 0;
};

}  // namespace hb
