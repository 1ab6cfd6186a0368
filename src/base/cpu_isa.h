// Which instructions this CPU has and this system lets us use.
#pragma once

#include <cstdint>
#include <string>

namespace hb {

struct CpuIsa {
  // x86-64
  bool avx2 = false, f16c = false, fma = false, avx_vnni = false;
  bool avx512 = false;  // F, BW, DQ and VL together
  bool avx512_vnni = false;
  // arm64
  bool neon = false, fp16 = false, dotprod = false, i8mm = false, bf16 = false, sve = false;

  bool operator==(const CpuIsa&) const = default;
  std::string to_string() const;  // the names of those present: "avx2 f16c fma"
};

// What CPUID and XGETBV answer. Leaves that the CPU does not have are 0.
struct X86Cpuid {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_ecx = 0, leaf7_1_eax = 0;
  uint64_t xcr0 = 0;  // register sets that the system saves; 0 without OSXSAVE
};

// What the kernel tells arm64 programs (AT_HWCAP, AT_HWCAP2).
struct ArmHwcaps {
  uint64_t hwcap = 0, hwcap2 = 0;
};

// A set of instructions counts only if the system saves its registers.
CpuIsa decode_x86(const X86Cpuid& cpuid);
CpuIsa decode_arm64(const ArmHwcaps& hwcaps);

// Of the machine that this runs on.
CpuIsa detect_cpu_isa();

}  // namespace hb
