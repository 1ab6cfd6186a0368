// The ceilings of a CPU: how fast memory can be read, and how fast it multiplies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_info.h"
#include "base/error.h"
#include "base/thread_pool.h"

namespace hb {

// Repeated measurements of a rate: higher is better.
struct Spread {
  double median = 0, best = 0, worst = 0;
  uint32_t repeats = 0;
};
Spread spread_of(std::vector<double> values);  // all zero if there are none

// How fast a buffer is read.
struct BandwidthPoint {
  uint32_t threads = 0;
  uint64_t buffer_bytes = 0;
  std::string kernel;  // the faster of the read loops for this CPU
  Spread gbps;         // 10^9 bytes a second
};

// How fast numbers are multiplied and summed; both count as operations.
struct PeakPoint {
  uint32_t threads = 0;
  std::string kernel, isa;
  bool is_integer = false;  // int8 products in int32 sums; otherwise float32, product and sum rounded apart
  Spread gops;              // 10^9 operations a second
};

struct RooflineReport {
  CpuInfo cpu;
  std::vector<BandwidthPoint> bandwidth;
  std::vector<PeakPoint> peaks;
};

struct RooflineOptions {
  std::vector<uint32_t> thread_counts = {};  // empty: 1, 2, 4 and so on to the CPUs that are usable
  std::vector<uint64_t> buffer_bytes = {};   // empty: one each for L2, L3, 100 MB and 1 GB
  uint32_t budget_ms = 200;                  // for each point
  uint32_t spin_us = 30;
  CpuMask cpu_mask = {};
};

// How a buffer is divided for reading. What fits into caches is read again and again by the same thread, so
// that each reads from its own; what does not is read once, a piece at a time by whoever is free.
struct ReadPlan {
  uint32_t chunk_count = 0;
  uint64_t chunk_bytes = 0;  // a multiple of 256: less than 256 bytes a chunk are left out
  uint32_t passes = 1;       // over each chunk
  uint64_t total_bytes() const { return chunk_count * chunk_bytes * passes; }
};
ReadPlan plan_read(uint64_t buffer_bytes, uint32_t threads);

// Defaults of RooflineOptions for a machine. Buffers take at most half of the available memory.
std::vector<uint32_t> default_thread_counts(const CpuInfo& cpu);
std::vector<uint64_t> default_buffer_bytes(const CpuInfo& cpu);

// Reads `bytes` repeatedly with the pool's threads for about budget_ms, at least three times with each loop.
// REQUIRES: the bytes were written before (untouched pages all read the same page of zeros), 64-byte aligned,
// and at least 256 a thread. BORROWS bytes: the engine passes (part of) its own weights, which costs no
// memory; 200 MB and a budget of 200 ms are enough for a line of evidence.
BandwidthPoint measure_bandwidth(ThreadPool& pool, std::span<const uint8_t> bytes, const CpuIsa& isa,
                                 uint32_t budget_ms);

// All of it. ERRORS: kOutOfMemory, kInvalidArgument (thread counts or mask that the system refuses; a buffer
// with less than 256 bytes a thread).
Result<RooflineReport> measure_roofline(const CpuInfo& cpu, const RooflineOptions& options);

// The report for machines (one object, schema "halfbyte.roofline/1") and for people.
std::string roofline_json(const RooflineReport& report);
std::string roofline_table(const RooflineReport& report);

}  // namespace hb
