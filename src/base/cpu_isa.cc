#include "base/cpu_isa.h"

#include <initializer_list>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace hb {
namespace {

bool bit(uint64_t word, int index) { return (word >> index & 1) != 0; }

#if defined(__x86_64__)
uint64_t read_xcr0() {
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

X86Cpuid read_cpuid() {
  X86Cpuid cpuid;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(1, 0, &eax, &ebx, &ecx, &edx) != 0) cpuid.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    cpuid.leaf7_ebx = ebx;
    cpuid.leaf7_ecx = ecx;
    const uint32_t last_subleaf = eax;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) cpuid.leaf7_1_eax = eax;
  }
  constexpr int kOsxsave = 27;
  if (bit(cpuid.leaf1_ecx, kOsxsave)) cpuid.xcr0 = read_xcr0();
  return cpuid;
}
#endif

}  // namespace

CpuIsa decode_x86(const X86Cpuid& cpuid) {
  constexpr uint64_t kAvxState = 0b110;           // SSE and AVX registers
  constexpr uint64_t kAvx512State = 0b1110'0110;  // and masks, upper halves, the upper 16
  const bool avx = (cpuid.xcr0 & kAvxState) == kAvxState && bit(cpuid.leaf1_ecx, 28);
  const bool wide = avx && (cpuid.xcr0 & kAvx512State) == kAvx512State;
  CpuIsa isa;
  isa.avx2 = avx && bit(cpuid.leaf7_ebx, 5);
  isa.f16c = avx && bit(cpuid.leaf1_ecx, 29);
  isa.fma = avx && bit(cpuid.leaf1_ecx, 12);
  isa.avx_vnni = isa.avx2 && bit(cpuid.leaf7_1_eax, 4);
  isa.avx512 = wide && bit(cpuid.leaf7_ebx, 16) && bit(cpuid.leaf7_ebx, 17) && bit(cpuid.leaf7_ebx, 30) &&
               bit(cpuid.leaf7_ebx, 31);
  isa.avx512_vnni = isa.avx512 && bit(cpuid.leaf7_ecx, 11);
  return isa;
}

CpuIsa decode_arm64(const ArmHwcaps& hwcaps) {
  CpuIsa isa;
  isa.neon = bit(hwcaps.hwcap, 1);
  isa.fp16 = bit(hwcaps.hwcap, 9) && bit(hwcaps.hwcap, 10);  // scalar and vector
  isa.dotprod = bit(hwcaps.hwcap, 20);
  isa.sve = bit(hwcaps.hwcap, 22);
  isa.i8mm = bit(hwcaps.hwcap2, 13);
  isa.bf16 = bit(hwcaps.hwcap2, 14);
  return isa;
}

CpuIsa detect_cpu_isa() {
#if defined(__x86_64__)
  return decode_x86(read_cpuid());
#elif defined(__aarch64__)
  return decode_arm64({::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2)});
#else
  return {};
#endif
}

std::string CpuIsa::to_string() const {
  std::string text;
  for (const auto& [present, name] :
       std::initializer_list<std::pair<bool, const char*>>{{avx2, "avx2"},
                                                           {f16c, "f16c"},
                                                           {fma, "fma"},
                                                           {avx_vnni, "avx_vnni"},
                                                           {avx512, "avx512"},
                                                           {avx512_vnni, "avx512_vnni"},
                                                           {neon, "neon"},
                                                           {fp16, "fp16"},
                                                           {dotprod, "dotprod"},
                                                           {i8mm, "i8mm"},
                                                           {bf16, "bf16"},
                                                           {sve, "sve"}}) {
    if (present) text.append(text.empty() ? "" : " ").append(name);
  }
  return text;
}

}  // namespace hb
