// How a roofline is written down: roofline_json and roofline_table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/roofline.h"

namespace hb {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Spread& spread) {
  return {
      {"median", spread.median}, {"best", spread.best}, {"worst", spread.worst}, {"repeats", spread.repeats}};
}

Json json_of(const CpuInfo& cpu) {
  Json classes = Json::array();
  for (const CoreClass& core_class : cpu.core_classes) {
    classes.push_back(
        {{"name", core_class.name}, {"max_mhz", core_class.max_mhz}, {"cpu_mask", core_class.cpus.to_hex()}});
  }
  return {{"architecture", cpu.architecture}, {"model", cpu.model},
          {"isa", cpu.isa.to_string()},       {"usable_cpus", cpu.usable_cpu_count},
          {"core_classes", classes},          {"l1d_bytes", cpu.l1d_bytes},
          {"l2_bytes", cpu.l2_bytes},         {"l3_bytes", cpu.l3_bytes},
          {"memory_bytes", cpu.memory_bytes}};
}

// "512 KB", "16.8 MB", "1 GB": decimal, as bandwidth is.
std::string size_text(uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.3g} KB", size / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.3g} MB", size / 1e6);
  return fmt::format("{:.3g} GB", size / 1e9);
}

constexpr char kHeading[] = "{:>8} {:<22} {:<20} {:>9} {:>9} {:>9} {:>4}\n";

std::string heading(const char* what, const char* unit) {
  return fmt::format(kHeading, "threads", what, "kernel", unit, "best", "worst", "n");
}

std::string row(uint32_t threads, const std::string& what, const std::string& kernel, const Spread& spread) {
  return fmt::format("{:>8} {:<22} {:<20} {:>9.1f} {:>9.1f} {:>9.1f} {:>4}\n", threads, what, kernel,
                     spread.median, spread.best, spread.worst, spread.repeats);
}

}  // namespace

std::string roofline_json(const RooflineReport& report) {
  Json bandwidth = Json::array();
  for (const BandwidthPoint& point : report.bandwidth) {
    bandwidth.push_back({{"threads", point.threads},
                         {"buffer_bytes", point.buffer_bytes},
                         {"kernel", point.kernel},
                         {"read_gbps", json_of(point.gbps)}});
  }
  Json peaks = Json::array();
  for (const PeakPoint& point : report.peaks) {
    peaks.push_back({{"threads", point.threads},
                     {"kernel", point.kernel},
                     {"isa", point.isa},
                     {"kind", point.is_integer ? "int8_dot" : "f32_mul_add"},
                     {"gops", json_of(point.gops)}});
  }
  const Json json = {{"schema", "halfbyte.roofline/1"},
                     {"cpu", json_of(report.cpu)},
                     {"bandwidth", bandwidth},
                     {"peaks", peaks}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string roofline_table(const RooflineReport& report) {
  std::string text = fmt::format("{}\n\n{}", report.cpu.summary(), heading("reading", "GB/s"));
  for (const BandwidthPoint& point : report.bandwidth) {
    text += row(point.threads, size_text(point.buffer_bytes), point.kernel, point.gbps);
  }
  text.append("\n").append(heading("arithmetic", "Gop/s"));
  for (const PeakPoint& point : report.peaks) {
    text += row(point.threads, point.is_integer ? "int8 dot products" : "float mul and add", point.kernel,
                point.gops);
  }
  return text;
}

}  // namespace hb
