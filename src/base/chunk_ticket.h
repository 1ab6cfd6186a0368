// The one word that says how many chunks of a range of which job are still to be claimed.
#pragma once

#include <atomic>
#include <cstdint>

namespace hb {

// The high half of the word is the job's epoch, the low half the number of chunks that nobody has claimed. A
// claim decrements it by compare-exchange, so who looked at one job cannot claim a chunk of the next.
// THREADS: one thread opens jobs, each after all chunks of the one before were claimed; any thread looks and
// claims.
class ChunkTicket {
 public:
  // What a thread saw when it looked.
  struct View {
    uint64_t word = 0;
    uint32_t unclaimed() const { return static_cast<uint32_t>(word); }
  };

  // Publishes what the thread wrote before. Sequentially consistent, as is look(): of one thread that opens
  // and then looks for sleepers, and another that counts itself a sleeper and then looks here, at least one
  // sees the other.
  void open(uint32_t chunk_count) {
    const uint64_t epoch = (word_.load(std::memory_order_relaxed) >> 32) + 1;
    word_.store(epoch << 32 | chunk_count);
  }

  View look() const { return {word_.load()}; }

  // Claims the chunk number (chunk_count - seen.unclaimed()) of the range that `seen` belongs to. False if
  // the word has changed since, or for no reason; `seen` is then what is there now. REQUIRES:
  // seen.unclaimed() > 0.
  bool claim(View& seen) {
    return word_.compare_exchange_weak(seen.word, seen.word - 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire);
  }

 private:
  std::atomic<uint64_t> word_{0};
};

}  // namespace hb
