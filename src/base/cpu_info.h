// What the machine is: its cores, caches and memory, as far as the system tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_isa.h"
#include "base/cpu_mask.h"
#include "base/system_files.h"

namespace hb {

// Cores of one kind and speed: big.LITTLE phones have two to four classes.
struct CoreClass {
  std::string name;      // "Cortex-A78", "0x41/0xd99" if the part is unknown to us, "" on x86
  uint32_t max_mhz = 0;  // 0: the system does not say (virtual machines)
  CpuMask cpus;          // those online
};

// Zero and empty mean that the system does not say.
struct CpuInfo {
  std::string architecture;  // "x86_64", "aarch64"
  std::string model;         // the CPU's name, or the board's on arm64
  CpuIsa isa;
  std::vector<CoreClass> core_classes;  // fastest first
  CpuMask usable_cpus;                  // by affinity
  uint32_t usable_cpu_count = 1;     // usable_cpus, and not more than the control group's quota of CPU time
  uint32_t recommended_threads = 1;  // see recommended_threads() in the source
  uint64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // as seen from the first CPU
  uint64_t memory_bytes = 0;                           // not more than the control group's limit
  uint64_t memory_available_bytes = 0;                 // likewise

  // One line for people and records: "AMD EPYC, 2 of 2 CPUs, avx2 f16c …".
  std::string summary() const;
};

// From what `files` say, with the instructions and the affinity given: a pure function.
CpuInfo read_cpu_info(const SystemFiles& files, const std::string& architecture, const CpuIsa& isa,
                      const CpuMask& affinity);

// Of the machine that this runs on.
CpuInfo detect_cpu_info();

}  // namespace hb
