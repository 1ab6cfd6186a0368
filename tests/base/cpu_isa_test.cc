#include "base/cpu_isa.h"

#include <gtest/gtest.h>

namespace hb {
namespace {

constexpr uint32_t kLeaf1Avx = 1u << 28 | 1u << 29 | 1u << 12 | 1u << 27;
constexpr uint32_t kLeaf7Avx512 = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;

X86Cpuid sapphire_rapids() {
  return {.leaf1_ecx = kLeaf1Avx,
          .leaf7_ebx = kLeaf7Avx512,
          .leaf7_ecx = 1u << 11,
          .leaf7_1_eax = 1u << 4,
          .xcr0 = 0xe7};
}

TEST(CpuIsaTest, Avx512ServerHasAll) {
  EXPECT_EQ(decode_x86(sapphire_rapids()).to_string(), "avx2 f16c fma avx_vnni avx512 avx512_vnni");
}

TEST(CpuIsaTest, RegistersThatTheSystemDoesNotSaveDoNotCount) {
  X86Cpuid cpuid = sapphire_rapids();
  cpuid.xcr0 = 0x7;  // a hypervisor without AVX-512 state
  EXPECT_EQ(decode_x86(cpuid).to_string(), "avx2 f16c fma avx_vnni");
  cpuid.xcr0 = 0;
  EXPECT_EQ(decode_x86(cpuid), CpuIsa());
}

TEST(CpuIsaTest, Avx512NeedsAllItsParts) {
  for (const int missing : {16, 17, 30, 31}) {
    X86Cpuid cpuid = sapphire_rapids();
    cpuid.leaf7_ebx &= ~(1u << missing);
    EXPECT_FALSE(decode_x86(cpuid).avx512 || decode_x86(cpuid).avx512_vnni) << missing;
  }
}

TEST(CpuIsaTest, Haswell) {
  const X86Cpuid cpuid = {.leaf1_ecx = kLeaf1Avx, .leaf7_ebx = 1u << 5, .xcr0 = 0x7};
  EXPECT_EQ(decode_x86(cpuid).to_string(), "avx2 f16c fma");
}

TEST(CpuIsaTest, Arm64) {
  EXPECT_EQ(decode_arm64({.hwcap = 0xff}).to_string(), "neon");                   // Cortex-A53
  EXPECT_EQ(decode_arm64({.hwcap = 0x119fff}).to_string(), "neon fp16 dotprod");  // Cortex-A76
  EXPECT_EQ(decode_arm64(
                {.hwcap = 1u << 1 | 1u << 9 | 1u << 10 | 1u << 20 | 1u << 22, .hwcap2 = 1u << 13 | 1u << 14})
                .to_string(),
            "neon fp16 dotprod i8mm bf16 sve");
  EXPECT_FALSE(decode_arm64({.hwcap = 1u << 9}).fp16);
}

TEST(CpuIsaTest, ThisMachine) {
#if defined(__x86_64__)
  // The compiler's run-time library decodes the same registers independently.
  EXPECT_EQ(detect_cpu_isa().avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(detect_cpu_isa().avx512_vnni, __builtin_cpu_supports("avx512vnni") != 0);
#elif defined(__aarch64__)
  EXPECT_TRUE(detect_cpu_isa().neon);
#endif
}

}  // namespace
}  // namespace hb
