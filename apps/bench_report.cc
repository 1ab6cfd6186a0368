#include "apps/bench_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hb {
namespace {

// A number, or nothing where it means nothing.
std::string number_or(double value, int digits, const char* otherwise) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : otherwise;
}

std::string markdown(const BenchLine& line) {
  const SampleStats& stats = line.stats;
  const std::string share =
      line.bandwidth_share() > 0 ? fmt::format("{:.0f} %", 100 * line.bandwidth_share()) : "";
  return fmt::format(
      "| {} | {} | {:>3} | {:>11} | {:>8.2f} | {:>7.2f} | {:.2f} .. {:.2f} | {:>5} | {:>5} |\n",
      line.setup.model, line.setup.device, line.setup.threads, line.samples.test.name(), stats.median,
      stats.mad, stats.min, stats.max, number_or(line.gbps(), 2, ""), share);
}

std::string csv(const BenchLine& line) {
  const SampleStats& stats = line.stats;
  const Setup& setup = line.setup;
  return fmt::format("{},{},\"{}\",{},\"{}\",{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{}\n",
                     HALFBYTE_VERSION, HALFBYTE_BUILD_TYPE, setup.model, setup.model_bytes, setup.device,
                     setup.kernel, setup.threads, line.samples.test.name(), line.samples.test.tokens,
                     line.samples.test.depth, line.samples.tokens_per_second.size(), stats.median, stats.mad,
                     stats.min, stats.max, number_or(line.gbps(), 3, ""),
                     number_or(line.bandwidth_share(), 4, ""));
}

nlohmann::ordered_json optional_number(double value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string json_line(const BenchLine& line) {
  const nlohmann::ordered_json json = {
      {"schema", "halfbyte.bench/1"},
      {"test", line.samples.test.name()},
      {"kind", line.is_decode() ? "decode" : "prefill"},
      {"tokens", line.samples.test.tokens},
      {"depth", line.samples.test.depth},
      {"tokens_per_second",
       {{"median", line.stats.median},
        {"mad", line.stats.mad},
        {"min", line.stats.min},
        {"max", line.stats.max},
        {"samples", line.samples.tokens_per_second}}},
      {"weight_gbps", optional_number(line.gbps())},
      {"read_gbps", optional_number(line.bandwidth ? line.bandwidth->gbps.median : 0)},
      {"bandwidth_share", optional_number(line.bandwidth_share())},
      {"setup", to_json(line.setup)}};
  return json.dump() + "\n";
}

}  // namespace

double BenchLine::gbps() const {
  return is_decode() ? stats.median * static_cast<double>(setup.weight_bytes_per_token) / 1e9 : 0;
}

double BenchLine::bandwidth_share() const {
  return bandwidth && bandwidth->gbps.median > 0 ? gbps() / bandwidth->gbps.median : 0;
}

std::string bench_header(BenchFormat format) {
  if (format == BenchFormat::kMarkdown) {
    return "| model | device | threads | test | tokens/s | MAD | min .. max | GB/s | of read |\n"
           "|---|---|--:|--:|--:|--:|--:|--:|--:|\n";
  }
  if (format == BenchFormat::kJsonLines) return "";
  return "version,build_type,model,model_bytes,device,kernel,threads,test,tokens,depth,repetitions,median_"
         "tps,mad_tps,"
         "min_tps,max_tps,weight_gbps,bandwidth_share\n";
}

std::string bench_line(const BenchLine& line, BenchFormat format) {
  if (format == BenchFormat::kMarkdown) return markdown(line);
  return format == BenchFormat::kCsv ? csv(line) : json_line(line);
}

}  // namespace hb
