#include "base/cgroup_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace hb {
namespace {

template <class T>
void keep_smaller(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// Version 2: "150000 100000" (microseconds of a period), or "max 100000".
std::optional<double> read_cpu_max(const SystemFiles& files, const std::string& path) {
  const auto line = files.read_line(path);
  const auto quota = line ? leading_number(*line) : std::nullopt;
  if (!quota) return std::nullopt;
  const auto period = leading_number(line->substr(std::min(line->size(), line->find(' '))));
  if (!period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// Version 1: a quota of -1 means none.
std::optional<double> read_cfs_quota(const SystemFiles& files, const std::string& folder) {
  const auto quota = files.read_number(folder + "/cpu.cfs_quota_us");
  const auto period = files.read_number(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// The process's group in a line "4:memory:/group" of /proc/self/cgroup; version 2 has an empty controller.
std::string group_of(std::string_view cgroup_text, std::string_view controller) {
  while (!cgroup_text.empty()) {
    const std::string_view line = cgroup_text.substr(0, cgroup_text.find('\n'));
    cgroup_text.remove_prefix(std::min(cgroup_text.size(), line.size() + 1));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string padded = fmt::format(",{},", controllers);
    if (padded.find(fmt::format(",{},", controller)) == std::string::npos) continue;
    return std::string(line.substr(second + 1));
  }
  return "/";
}

// Calls visit(folder) for the group's folder below `root`, then for its parents, up to `root` itself.
template <class Visit>
void for_each_parent(const std::string& root, std::string group, Visit visit) {
  while (!group.empty() && group != "/") {
    visit(root + group);
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  visit(root);
}

}  // namespace

CgroupLimits read_cgroup_limits(const SystemFiles& files) {
  CgroupLimits limits;
  const std::string groups = files.read("/proc/self/cgroup").value_or("");
  for_each_parent("/sys/fs/cgroup", group_of(groups, ""), [&](const std::string& folder) {
    keep_smaller(limits.cpus, read_cpu_max(files, folder + "/cpu.max"));
    keep_smaller(limits.memory_bytes, files.read_number(folder + "/memory.max"));
  });
  for_each_parent("/sys/fs/cgroup/cpu", group_of(groups, "cpu"), [&](const std::string& folder) {
    keep_smaller(limits.cpus, read_cfs_quota(files, folder));
  });
  for_each_parent("/sys/fs/cgroup/memory", group_of(groups, "memory"), [&](const std::string& folder) {
    keep_smaller(limits.memory_bytes, files.read_number(folder + "/memory.limit_in_bytes"));
  });
  return limits;
}

}  // namespace hb
