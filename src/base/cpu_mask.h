// A set of CPUs, as the system numbers them.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hb {

class CpuMask {
 public:
  static constexpr uint32_t kMaxCpus = 1024;  // the system's own CPU_SETSIZE

  CpuMask() = default;

  // Reads hexadecimal as taskset does: "f0" or "0xf0" is the CPUs 4 to 7. ERRORS: kInvalidArgument.
  static Result<CpuMask> parse(std::string_view hex);
  // The CPUs that the calling thread may run on; empty if the system does not say.
  static CpuMask of_this_thread();

  void add(uint32_t cpu) { bits_.set(cpu); }
  bool contains(uint32_t cpu) const { return cpu < kMaxCpus && bits_.test(cpu); }
  uint32_t count() const { return static_cast<uint32_t>(bits_.count()); }
  bool empty() const { return bits_.none(); }
  std::string to_hex() const;  // "f0"; "0" if empty

  CpuMask operator&(const CpuMask& other) const;
  bool operator==(const CpuMask& other) const = default;

  // From now on the calling thread, and threads that it starts, run on these CPUs only.
  // ERRORS: kInvalidArgument if the process may use none of them.
  Status apply_to_this_thread() const;

 private:
  std::bitset<kMaxCpus> bits_;
};

}  // namespace hb
