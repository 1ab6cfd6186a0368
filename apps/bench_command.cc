#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "apps/bench_report.h"
#include "apps/bench_runner.h"
#include "apps/commands.h"
#include "apps/engine_options.h"
#include "apps/interrupt.h"
#include "apps/terminal.h"
#include "base/log.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte bench\n"
    "  halfbyte bench -m model.gguf -p 512 -n 128 -t 1,2,4\n"
    "  halfbyte bench -p 0 -n 64 -d 0,1024,2048            decode at three depths\n"
    "  halfbyte bench --output jsonl >> results.jsonl\n"
    "ppN reads a prompt of N tokens, tgN decodes N, @D with D tokens in the cache before. The figures are "
    "medians; MAD is\n"
    "the median distance from them. 'of read' sets the weights read against the memory bandwidth of the same "
    "run.";

const std::map<std::string, BenchFormat> kFormats = {
    {"md", BenchFormat::kMarkdown}, {"csv", BenchFormat::kCsv}, {"jsonl", BenchFormat::kJsonLines}};

struct Options {
  EngineOptions engine;
  std::vector<uint32_t> prefill = {512};
  std::vector<uint32_t> decode = {128};
  std::vector<uint32_t> depths = {0};
  std::vector<uint32_t> threads;
  uint32_t repetitions = 5;
  std::string output = "md";
  bool json = false;
  bool quiet = false;
};

void warn_of_slow_build() {
  const std::string type = HALFBYTE_BUILD_TYPE;
  if (type == "Release" || type == "RelWithDebInfo") return;
  log_warning(
      "this is a build of the type '{}': its speeds mean nothing; build with -DCMAKE_BUILD_TYPE=Release",
      type);
}

// Before the model is loaded, so that the two do not compete for memory. What cannot be measured is left out.
std::optional<BandwidthPoint> bandwidth_of(uint32_t threads, const std::string& path,
                                           const Settings& settings) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  const BandwidthRequest request = {.buffer_bytes = error ? 0 : size,
                                    .limit_bytes = uint64_t{1} << 30,
                                    .budget_ms = 300,
                                    .threads = threads};
  const auto measured = measure_read_bandwidth(request, settings, detect_cpu_info());
  if (measured) return *measured;
  log_warning("the read bandwidth was not measured: {}", measured.error().message);
  return std::nullopt;
}

// The tests with one number of threads.
Status bench_threads(const Options& options, uint32_t threads, BenchFormat format) {
  EngineOptions with = options.engine;
  if (threads != 0) with.settings["threads"] = std::to_string(threads);
  HB_ASSIGN(const Settings settings, load_settings(with.settings));
  HB_ASSIGN(const std::string path, resolve_model(with.model, settings));
  const uint32_t used = settings.threads != 0 ? settings.threads : detect_cpu_info().recommended_threads;
  const std::optional<BandwidthPoint> bandwidth =
      with.backend == "ref" ? std::nullopt : bandwidth_of(used, path, settings);
  HB_ASSIGN(const Engine engine, Engine::load(with, settings));
  const std::vector<BenchTest> tests = bench_tests(options.prefill, options.decode, options.depths);
  with.context = bench_context(tests);
  HB_ASSIGN(Session session, engine.new_session(with));

  const InterruptScope interrupt;
  const auto on_round = [&](uint32_t done) {
    if (!options.quiet && is_terminal(stderr))
      fmt::print(stderr, "\rround {} of {}\x1b[K", done, options.repetitions);
    return !interrupt.requested();
  };
  HB_ASSIGN(const auto all, run_bench(session, tests, options.repetitions, on_round));
  if (!options.quiet && is_terminal(stderr)) fmt::print(stderr, "\r\x1b[K");
  const Setup setup = setup_of(engine);
  for (const BenchSamples& samples : all) {
    fmt::print("{}",
               bench_line({samples, sample_stats(samples.tokens_per_second), setup, bandwidth}, format));
  }
  std::fflush(stdout);
  return {};
}

Result<int> bench(const Options& options) {
  const BenchFormat format = options.json ? BenchFormat::kJsonLines : kFormats.at(options.output);
  if (bench_tests(options.prefill, options.decode, options.depths).empty()) {
    return fail(ErrorCode::kInvalidArgument, "nothing to measure: -p or -n needs a number above 0");
  }
  warn_of_slow_build();
  const std::vector<uint32_t> threads = options.threads.empty() ? std::vector<uint32_t>{0} : options.threads;
  bool first = true;
  for (const uint32_t count : threads) {
    if (std::exchange(first, false)) fmt::print("{}", bench_header(format));
    const Status status = bench_threads(options, count, format);
    if (!status && status.error().code == ErrorCode::kCancelled) return kExitInterrupted;
    HB_TRY(status);
  }
  return kExitOk;
}

}  // namespace

void add_bench_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add("bench", "Measure how fast a model runs", kExamples, [options] { return bench(*options); });
  const auto list = [&](const std::string& name, std::vector<uint32_t>& values, const std::string& help) {
    command.add_option(name, values, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0u, 1000000u))
        ->capture_default_str();
  };
  add_model_flag(command, options->engine);
  list("-p,--prefill", options->prefill, "Tokens of the prompts to read; 0: none");
  list("-n,--decode", options->decode, "Tokens to decode; 0: none");
  list("-d,--depth", options->depths, "Tokens in the cache before");
  command
      .add_option("-t,--threads", options->threads, "Thread counts; default: as many as there are fast cores")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1u, 1024u));
  command.add_option("-r,--repetitions", options->repetitions, "Rounds of all tests")
      ->check(CLI::Range(1u, 10000u))
      ->capture_default_str();
  command.add_option("-o,--output", options->output, "md, csv or jsonl")
      ->check(CLI::IsMember({"md", "csv", "jsonl"}))
      ->capture_default_str();
  command.add_flag("--json", options->json, "The same as --output jsonl: one JSON object a line");
  command.add_flag("-q,--quiet", options->quiet, "No progress");
  command.add_option("--batch", options->engine.batch, "Prompt tokens evaluated at a time")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
  add_compute_flags(command, options->engine, true);
}

}  // namespace hb
