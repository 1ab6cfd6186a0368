#include "base/cpu_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/cgroup_limits.h"

namespace hb {
namespace {

constexpr char kCpuFolder[] = "/sys/devices/system/cpu";

struct Part {
  std::string_view id;  // implementer/part, as /proc/cpuinfo prints them
  std::string_view name;
};
constexpr Part kParts[] = {
    {"0x41/0xd03", "Cortex-A53"},  {"0x41/0xd04", "Cortex-A35"},  {"0x41/0xd05", "Cortex-A55"},
    {"0x41/0xd07", "Cortex-A57"},  {"0x41/0xd08", "Cortex-A72"},  {"0x41/0xd09", "Cortex-A73"},
    {"0x41/0xd0a", "Cortex-A75"},  {"0x41/0xd0b", "Cortex-A76"},  {"0x41/0xd0c", "Neoverse-N1"},
    {"0x41/0xd0d", "Cortex-A77"},  {"0x41/0xd40", "Neoverse-V1"}, {"0x41/0xd41", "Cortex-A78"},
    {"0x41/0xd44", "Cortex-X1"},   {"0x41/0xd46", "Cortex-A510"}, {"0x41/0xd47", "Cortex-A710"},
    {"0x41/0xd48", "Cortex-X2"},   {"0x41/0xd49", "Neoverse-N2"}, {"0x41/0xd4d", "Cortex-A715"},
    {"0x41/0xd4e", "Cortex-X3"},   {"0x41/0xd4f", "Neoverse-V2"}, {"0x41/0xd80", "Cortex-A520"},
    {"0x41/0xd81", "Cortex-A720"}, {"0x41/0xd82", "Cortex-X4"},   {"0x41/0xd85", "Cortex-X925"},
    {"0x41/0xd87", "Cortex-A725"}, {"0x51/0x001", "Oryon"},
};

std::string part_name(const std::string& id) {
  const auto* part = std::ranges::find(kParts, std::string_view(id), &Part::id);
  return part == std::end(kParts) ? id : std::string(part->name);
}

// What /proc/cpuinfo says of one CPU, and of the whole.
struct ProcCpuinfo {
  std::string model;                      // x86's "model name", or an old arm kernel's "Hardware"
  std::map<uint32_t, std::string> parts;  // by CPU, arm64 only: "0x41/0xd0c"
};

ProcCpuinfo parse_proc_cpuinfo(std::string_view text) {
  ProcCpuinfo info;
  uint32_t cpu = 0;
  std::string implementer;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(line.substr(0, colon));
    const std::string value(trim(line.substr(colon + 1)));
    if (key == "processor") cpu = static_cast<uint32_t>(leading_number(value).value_or(0));
    if (key == "CPU implementer") implementer = value;
    if (key == "CPU part") info.parts[cpu] = implementer + "/" + value;
    if ((key == "model name" || key == "Hardware") && info.model.empty()) info.model = value;
  }
  return info;
}

// A list such as "0-3,6" as a mask. What does not parse is left out.
CpuMask parse_cpu_list(std::string_view list) {
  CpuMask mask;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const auto first = leading_number(item);
    const size_t dash = item.find('-');
    const auto last = dash == std::string_view::npos ? first : leading_number(item.substr(dash + 1));
    if (!first || !last) continue;
    for (uint64_t cpu = *first; cpu <= *last && cpu < CpuMask::kMaxCpus; ++cpu)
      mask.add(static_cast<uint32_t>(cpu));
  }
  return mask;
}

std::vector<CoreClass> read_core_classes(const SystemFiles& files, const ProcCpuinfo& proc,
                                         const CpuMask& online) {
  std::map<std::pair<uint32_t, std::string>, CpuMask> classes;
  for (uint32_t cpu = 0; cpu < CpuMask::kMaxCpus; ++cpu) {
    if (!online.contains(cpu)) continue;
    const auto khz = files.read_number(fmt::format("{}/cpu{}/cpufreq/cpuinfo_max_freq", kCpuFolder, cpu));
    const auto part = proc.parts.find(cpu);
    classes[{static_cast<uint32_t>(khz.value_or(0) / 1000),
             part == proc.parts.end() ? "" : part_name(part->second)}]
        .add(cpu);
  }
  std::vector<CoreClass> list;
  for (const auto& [key, cpus] : classes) list.push_back({key.second, key.first, cpus});
  std::ranges::reverse(list);  // the map ascends by speed
  return list;
}

// The number in "48K", "1024K", "32M", in bytes.
uint64_t parse_cache_size(std::string_view text) {
  const uint64_t number = leading_number(text).value_or(0);
  if (text.ends_with('K')) return number << 10;
  if (text.ends_with('M')) return number << 20;
  return number;
}

void read_caches(const SystemFiles& files, CpuInfo& info) {
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("{}/cpu0/cache/index{}", kCpuFolder, index);
    const auto level = files.read_number(folder + "/level");
    if (!level) return;
    if (files.read_line(folder + "/type") == "Instruction") continue;
    const uint64_t bytes = parse_cache_size(files.read_line(folder + "/size").value_or(""));
    if (*level == 1) info.l1d_bytes = bytes;
    if (*level == 2) info.l2_bytes = bytes;
    if (*level == 3) info.l3_bytes = bytes;
  }
}

// The bytes of a line such as "MemTotal:  16384 kB"; 0 if there is none.
uint64_t meminfo_bytes(const std::string& meminfo, std::string_view key) {
  const size_t at = meminfo.find(key);
  if (at == std::string::npos) return 0;
  return leading_number(std::string_view(meminfo).substr(at + key.size())).value_or(0) << 10;
}

// Of the usable CPUs, those fast enough to help (at least 60 % of the fastest one's clock: the small cores of
// a phone mostly wait for the memory that the big ones keep busy), one for each physical core.
uint32_t recommended_threads(const SystemFiles& files, const CpuInfo& info) {
  uint32_t count = 0;
  const uint32_t fastest_mhz = info.core_classes.empty() ? 0 : info.core_classes.front().max_mhz;
  for (const CoreClass& core_class : info.core_classes) {
    if (core_class.max_mhz < fastest_mhz * 0.6) continue;
    const CpuMask usable = core_class.cpus & info.usable_cpus;
    CpuMask seen;
    for (uint32_t cpu = 0; cpu < CpuMask::kMaxCpus; ++cpu) {
      if (!usable.contains(cpu) || seen.contains(cpu)) continue;
      ++count;
      const std::string path = fmt::format("{}/cpu{}/topology/thread_siblings_list", kCpuFolder, cpu);
      const CpuMask siblings = parse_cpu_list(files.read_line(path).value_or(""));
      for (uint32_t other = cpu; other < CpuMask::kMaxCpus; ++other) {
        if (siblings.contains(other)) seen.add(other);
      }
    }
  }
  return std::clamp(count, uint32_t{1}, info.usable_cpu_count);
}

void apply_limits(const CgroupLimits& limits, CpuInfo& info) {
  info.usable_cpu_count = std::max(info.usable_cpus.count(), uint32_t{1});
  if (limits.cpus && *limits.cpus < info.usable_cpu_count) {
    info.usable_cpu_count = std::max(static_cast<uint32_t>(std::ceil(*limits.cpus)), uint32_t{1});
  }
  if (!limits.memory_bytes) return;
  info.memory_bytes = std::min(info.memory_bytes, *limits.memory_bytes);
  info.memory_available_bytes = std::min(info.memory_available_bytes, *limits.memory_bytes);
}

}  // namespace

CpuInfo read_cpu_info(const SystemFiles& files, const std::string& architecture, const CpuIsa& isa,
                      const CpuMask& affinity) {
  const ProcCpuinfo proc = parse_proc_cpuinfo(files.read("/proc/cpuinfo").value_or(""));
  const std::string meminfo = files.read("/proc/meminfo").value_or("");
  CpuMask online = parse_cpu_list(files.read_line(std::string(kCpuFolder) + "/online").value_or(""));
  if (online.empty()) online = affinity;

  CpuInfo info;
  info.architecture = architecture;
  info.model = files.read_line("/sys/firmware/devicetree/base/model").value_or(proc.model);
  info.isa = isa;
  info.core_classes = read_core_classes(files, proc, online);
  info.usable_cpus = affinity.empty() ? online : affinity & online;
  read_caches(files, info);
  info.memory_bytes = meminfo_bytes(meminfo, "MemTotal:");
  info.memory_available_bytes = meminfo_bytes(meminfo, "MemAvailable:");
  apply_limits(read_cgroup_limits(files), info);
  info.recommended_threads = recommended_threads(files, info);
  return info;
}

CpuInfo detect_cpu_info() {
#if defined(__x86_64__)
  constexpr char kArchitecture[] = "x86_64";
#elif defined(__aarch64__)
  constexpr char kArchitecture[] = "aarch64";
#else
  constexpr char kArchitecture[] = "other";
#endif
  return read_cpu_info(SystemFiles(), kArchitecture, detect_cpu_isa(), CpuMask::of_this_thread());
}

std::string CpuInfo::summary() const {
  uint32_t online = 0;
  for (const CoreClass& core_class : core_classes) online += core_class.cpus.count();
  return fmt::format("{}, {} of {} CPUs, {}", model.empty() ? architecture : model, usable_cpu_count, online,
                     isa.to_string());
}

}  // namespace hb
