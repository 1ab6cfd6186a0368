#include "base/cpu_info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/fake_system_files.h"

namespace hb {
namespace {

constexpr char kCpu[] = "/sys/devices/system/cpu";

CpuMask first_cpus(uint32_t count) {
  CpuMask mask;
  for (uint32_t cpu = 0; cpu < count; ++cpu) mask.add(cpu);
  return mask;
}

struct FakeCore {
  std::string part;
  uint32_t max_khz;
};

// An arm64 phone as Android shows it: no caches in /sys, "Hardware" at the end of cpuinfo.
FakeSystemFiles phone(const std::string& hardware, const std::vector<FakeCore>& cores) {
  FakeSystemFiles files;
  std::string& cpuinfo = files["/proc/cpuinfo"];
  for (size_t cpu = 0; cpu < cores.size(); ++cpu) {
    cpuinfo += fmt::format(
        "processor\t: {}\nBogoMIPS\t: 49.15\nFeatures\t: fp asimd asimddp\nCPU implementer\t: 0x41\n"
        "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: {}\nCPU revision\t: 0\n\n",
        cpu, cores[cpu].part);
    files[fmt::format("{}/cpu{}/cpufreq/cpuinfo_max_freq", kCpu, cpu)] =
        fmt::format("{}\n", cores[cpu].max_khz);
    files[fmt::format("{}/cpu{}/topology/thread_siblings_list", kCpu, cpu)] = fmt::format("{}\n", cpu);
  }
  cpuinfo += "Hardware\t: " + hardware + "\n";
  files[fmt::format("{}/online", kCpu)] = fmt::format("0-{}\n", cores.size() - 1);
  files["/proc/meminfo"] =
      "MemTotal:        7772340 kB\nMemFree:          300000 kB\nMemAvailable:    3145728 kB\n";
  files["/proc/self/cgroup"] = "3:cpuset:/top-app\n2:cpu:/top-app\n0::/uid_10231/pid_4711\n";
  return files;
}

FakeSystemFiles smt_server() {
  FakeSystemFiles files;
  for (int cpu = 0; cpu < 4; ++cpu) {
    files["/proc/cpuinfo"] += fmt::format(
        "processor\t: {}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum "
        "8480+\nflags\t\t: fpu\n\n",
        cpu);
    files[fmt::format("{}/cpu{}/topology/thread_siblings_list", kCpu, cpu)] =
        fmt::format("{},{}\n", cpu % 2, cpu % 2 + 2);
  }
  files[fmt::format("{}/online", kCpu)] = "0-3\n";
  const std::vector<std::array<std::string, 3>> caches = {
      {"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "2048K"}, {"3", "Unified", "105M"}};
  for (size_t i = 0; i < caches.size(); ++i) {
    const std::string folder = fmt::format("{}/cpu0/cache/index{}/", kCpu, i);
    files[folder + "level"] = caches[i][0] + "\n";
    files[folder + "type"] = caches[i][1] + "\n";
    files[folder + "size"] = caches[i][2] + "\n";
  }
  files["/proc/meminfo"] = "MemTotal:       16777216 kB\nMemAvailable:   15000000 kB\n";
  files["/proc/self/cgroup"] = "0::/system.slice/box.scope\n";
  return files;
}

TEST(CpuInfoTest, PhoneWithThreeClasses) {
  const std::vector<FakeCore> cores = {{"0xd05", 1803000}, {"0xd05", 1803000}, {"0xd05", 1803000},
                                       {"0xd05", 1803000}, {"0xd41", 2400000}, {"0xd41", 2400000},
                                       {"0xd41", 2400000}, {"0xd44", 2995000}};
  const CpuInfo info =
      read_cpu_info(phone("Qualcomm Technologies, Inc SM8350", cores), "aarch64", {}, first_cpus(8));
  EXPECT_EQ(info.model, "Qualcomm Technologies, Inc SM8350");
  ASSERT_EQ(info.core_classes.size(), 3u);
  EXPECT_EQ(info.core_classes[0].name, "Cortex-X1");
  EXPECT_EQ(info.core_classes[0].max_mhz, 2995u);
  EXPECT_EQ(info.core_classes[0].cpus.to_hex(), "80");
  EXPECT_EQ(info.core_classes[1].cpus.to_hex(), "70");
  EXPECT_EQ(info.core_classes[2].name, "Cortex-A55");
  EXPECT_EQ(info.usable_cpu_count, 8u);
  EXPECT_EQ(info.recommended_threads, 8u);  // 1803 is just above 60 % of 2995
  EXPECT_EQ(info.l2_bytes, 0u);
  EXPECT_EQ(info.memory_available_bytes, uint64_t{3} << 30);
}

TEST(CpuInfoTest, SlowCoresAreNotRecommended) {
  const std::vector<FakeCore> cores = {
      {"0xd46", 1700000}, {"0xd46", 1700000}, {"0xd4d", 2800000}, {"0xd4e", 3200000}};
  const FakeSystemFiles files = phone("Kalama", cores);
  EXPECT_EQ(read_cpu_info(files, "aarch64", {}, first_cpus(4)).recommended_threads, 2u);
  const CpuInfo confined = read_cpu_info(files, "aarch64", {}, first_cpus(3));
  EXPECT_EQ(confined.usable_cpu_count, 3u);
  EXPECT_EQ(confined.recommended_threads, 1u);
  EXPECT_EQ(read_cpu_info(files, "aarch64", {}, first_cpus(2)).recommended_threads,
            1u);  // only slow ones: still one
}

TEST(CpuInfoTest, BoardWithADeviceTreeAndAnUnknownPart) {
  FakeSystemFiles files = phone("BCM2712", {{"0xfff", 2400000}, {"0xfff", 2400000}});
  files["/sys/firmware/devicetree/base/model"] = std::string("Raspberry Pi 5 Model B Rev 1.0\0", 31);
  const CpuInfo info = read_cpu_info(files, "aarch64", {}, first_cpus(2));
  EXPECT_EQ(info.model, "Raspberry Pi 5 Model B Rev 1.0");
  EXPECT_EQ(info.core_classes[0].name, "0x41/0xfff");
  EXPECT_EQ(info.recommended_threads, 2u);
}

TEST(CpuInfoTest, ServerWithTwoThreadsACore) {
  const CpuInfo info = read_cpu_info(smt_server(), "x86_64", {.avx2 = true, .fma = true}, first_cpus(4));
  EXPECT_EQ(info.model, "Intel(R) Xeon(R) Platinum 8480+");
  ASSERT_EQ(info.core_classes.size(), 1u);
  EXPECT_EQ(info.core_classes[0].max_mhz, 0u);
  EXPECT_EQ(info.usable_cpu_count, 4u);
  EXPECT_EQ(info.recommended_threads, 2u);
  EXPECT_EQ(info.l1d_bytes, 48u << 10);
  EXPECT_EQ(info.l2_bytes, 2u << 20);
  EXPECT_EQ(info.l3_bytes, 105u << 20);
  EXPECT_EQ(info.memory_bytes, uint64_t{16} << 30);
  EXPECT_EQ(info.summary(), "Intel(R) Xeon(R) Platinum 8480+, 4 of 4 CPUs, avx2 fma");
}

TEST(CpuInfoTest, ContainerLimitsOfVersion2) {
  FakeSystemFiles files = smt_server();
  files["/sys/fs/cgroup/system.slice/box.scope/cpu.max"] = "150000 100000\n";
  files["/sys/fs/cgroup/system.slice/cpu.max"] = "max 100000\n";
  files["/sys/fs/cgroup/system.slice/memory.max"] = "1073741824\n";
  files["/sys/fs/cgroup/memory.max"] = "max\n";
  const CpuInfo info = read_cpu_info(files, "x86_64", {}, first_cpus(4));
  EXPECT_EQ(info.usable_cpu_count, 2u);
  EXPECT_EQ(info.memory_bytes, uint64_t{1} << 30);
  EXPECT_EQ(info.memory_available_bytes, uint64_t{1} << 30);
}

TEST(CpuInfoTest, ContainerLimitsOfVersion1) {
  FakeSystemFiles files = smt_server();
  files["/proc/self/cgroup"] = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n";
  files["/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us"] = "20000\n";
  files["/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us"] = "100000\n";
  files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "-1\n";
  files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n";
  files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  const CpuInfo info = read_cpu_info(files, "x86_64", {}, first_cpus(4));
  EXPECT_EQ(info.usable_cpu_count, 1u);
  EXPECT_EQ(info.recommended_threads, 1u);
  EXPECT_EQ(info.memory_bytes, uint64_t{16} << 30);
}

TEST(CpuInfoTest, NothingKnownStillGivesOneThread) {
  const CpuInfo info = read_cpu_info(FakeSystemFiles(), "x86_64", {}, {});
  EXPECT_EQ(info.usable_cpu_count, 1u);
  EXPECT_EQ(info.recommended_threads, 1u);
  EXPECT_EQ(info.memory_bytes, 0u);
}

TEST(CpuInfoTest, NonsenseDoesNotConfuse) {
  FakeSystemFiles files = smt_server();
  files[fmt::format("{}/online", kCpu)] = "3-1,x,99999999999999999999,2-999999999999\n";
  files["/proc/meminfo"] = "MemTotal: none\n";
  files["/sys/fs/cgroup/cpu.max"] = "100000 0\n";
  files["/proc/cpuinfo"] += "CPU part\nprocessor : x\n:::\n";
  const CpuInfo info = read_cpu_info(files, "x86_64", {}, first_cpus(4));
  EXPECT_EQ(info.usable_cpus.to_hex(), "c");
  EXPECT_EQ(info.memory_bytes, 0u);
}

TEST(CpuInfoTest, ThisMachineHasACpu) {
  const CpuInfo info = detect_cpu_info();
  EXPECT_GE(info.usable_cpu_count, 1u);
  EXPECT_LE(info.recommended_threads, info.usable_cpu_count);
  EXPECT_GT(info.memory_bytes, 0u);
}

}  // namespace
}  // namespace hb
