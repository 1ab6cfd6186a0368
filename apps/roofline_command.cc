#include <fmt/format.h>

#include <memory>

#include "apps/commands.h"
#include "apps/engine_options.h"
#include "lab/roofline.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte roofline\n"
    "  halfbyte roofline --threads 1,2 --megabytes 1000 --milliseconds 1000\n"
    "  halfbyte roofline --json\n"
    "How fast this machine reads memory and multiplies: the limits of decoding and of reading a prompt.";

struct Options {
  RooflineOptions measure;
  std::vector<uint64_t> megabytes;
  TextMap settings;
  bool json = false;
};

Result<int> roofline(const Options& options) {
  HB_ASSIGN(const Settings settings, load_settings(options.settings));
  RooflineOptions measure = options.measure;
  measure.spin_us = settings.spin_us;
  measure.cpu_mask = settings.cpu_mask;
  for (const uint64_t size : options.megabytes) measure.buffer_bytes.push_back(size * 1000 * 1000);
  HB_ASSIGN(const RooflineReport report, measure_roofline(detect_cpu_info(), measure));
  fmt::print("{}", options.json ? roofline_json(report) + "\n" : roofline_table(report));
  return kExitOk;
}

}  // namespace

void add_roofline_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = line.add("roofline", "Measure what this machine's memory and CPU can do", kExamples,
                               [options] { return roofline(*options); });
  command
      .add_option("-t,--threads", options->measure.thread_counts, "Thread counts; default: 1, 2, 4 and so on")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1u, 1024u));
  command
      .add_option("--megabytes", options->megabytes,
                  "Buffer sizes; default: one for each cache, 100 and 1000")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1u, 1000000u));
  command.add_option("--milliseconds", options->measure.budget_ms, "For each measurement")
      ->check(CLI::Range(1u, 60000u))
      ->capture_default_str();
  command.add_option_function<std::string>(
      "--cpu-mask", [options](const std::string& mask) { options->settings["cpu_mask"] = mask; },
      "CPUs to run on, hexadecimal (f0: the CPUs 4 to 7)");
  command.add_flag("--json", options->json, "One JSON object instead of tables");
}

}  // namespace hb
