// One measurement of a whole model in one process, for scripts that compare engines: a JSON object a line.
//
//   engine_bench MODEL.gguf --threads 2 --tests pp512,tg64,tg32@1024
//
// ppN reads a prompt of N tokens, tgN decodes N; @D: with D tokens in the cache before. The first line,
// "start", is what loading the model and a first token take; the last, "read", what the same threads read
// from memory. Seconds are wall-clock time and CPU time of the process, all threads together.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <span>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/aligned_buffer.h"
#include "engine/model.h"
#include "engine/session.h"
#include "lab/roofline.h"

namespace hb::bench {
namespace {

constexpr uint32_t kContext = 2048;
constexpr uint32_t kBatch = 512;
constexpr uint32_t kWarmUpTokens = 8;
constexpr uint32_t kStartTokens = 6;
constexpr uint64_t kMostReadBytes = uint64_t{1} << 30;
constexpr uint32_t kReadBudgetMs = 300;

struct Test {
  std::string name;
  bool decode;
  uint32_t tokens;
  uint32_t depth;
};

struct Options {
  std::string model;
  uint32_t threads = 1;
  std::string isa = "auto";
  std::vector<std::string> tests;
};

struct Times {
  double wall_s, cpu_s;
};

Times now() {
  timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return {wall.count(), static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec)};
}

Times since(const Times& begin) {
  const Times end = now();
  return {end.wall_s - begin.wall_s, end.cpu_s - begin.cpu_s};
}

Result<Test> parse_test(const std::string& name) {
  char kind = 0;
  Test test = {name, false, 0, 0};
  const int fields = std::sscanf(name.c_str(), "%c%*[pg]%u@%u", &kind, &test.tokens, &test.depth);
  test.decode = kind == 't';
  if (fields >= 2 && (kind == 'p' || kind == 't') && test.tokens > 0 && test.tokens + test.depth <= kContext)
    return test;
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("'{}' is no test; tests are pp512, tg64, tg32@1024, with up to {} tokens", name, kContext));
}

Status process(Session& session, const Test& test, std::span<const int32_t> tokens) {
  if (!test.decode) return session.append(tokens);
  for (const int32_t& token : tokens) HB_TRY(session.append({&token, 1}));
  return {};
}

Result<Times> time_test(Session& session, const Test& test, std::span<const int32_t> sequence) {
  session.truncate(0);
  if (test.depth > 0) HB_TRY(session.append(sequence.first(test.depth)));
  const Times begin = now();
  HB_TRY(process(session, test, sequence.subspan(test.depth, test.tokens)));
  return since(begin);
}

Result<BandwidthPoint> read_bandwidth(uint64_t bytes, uint32_t threads) {
  HB_ASSIGN(const auto pool, ThreadPool::create({.thread_count = threads}));
  HB_ASSIGN(AlignedBuffer buffer,
            AlignedBuffer::allocate(std::min(bytes, kMostReadBytes), AlignedBuffer::Pages::kHuge));
  std::memset(buffer.data(), 1, buffer.size_bytes());
  return measure_bandwidth(*pool, buffer.as<uint8_t>(), detect_cpu_isa(), kReadBudgetMs);
}

std::vector<int32_t> token_sequence(uint32_t vocab) {
  std::vector<int32_t> tokens(kContext);
  for (uint32_t i = 0; i < kContext; ++i)
    tokens[i] = static_cast<int32_t>((i * 7919 + 13) % (vocab - 100) + 100);
  return tokens;
}

void print_start(const Session& session, const Times& wall_begin) {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"test\": \"start\", \"wall_s\": {:.6f}, \"cpu_s\": {:.6f}, \"peak_rss\": {}, \"weight_bytes\": "
      "{}}}\n",
      since(wall_begin).wall_s, now().cpu_s, usage.ru_maxrss * 1024L,
      session.model().weight_bytes_per_token());
}

Status run(const Options& options) {
  const Times begin = now();
  std::vector<Test> tests;
  for (const std::string& name : options.tests) {
    HB_ASSIGN(tests.emplace_back(), parse_test(name));
  }
  CpuBackendOptions cpu;
  cpu.threads = options.threads;
  cpu.isa = options.isa;
  HB_ASSIGN(std::shared_ptr<Backend> backend, make_cpu_backend(cpu));
  HB_ASSIGN(const auto model, Model::load(options.model, backend));
  HB_ASSIGN(Session session, Session::create(model, {.context = kContext, .batch = kBatch}));
  const std::vector<int32_t> sequence = token_sequence(model->plan().vocab_size);
  HB_TRY(session.append(std::span(sequence).first(kStartTokens)));
  print_start(session, begin);
  for (Test test : tests) {
    test.tokens = std::min(test.tokens, kWarmUpTokens);
    HB_TRY(time_test(session, test, sequence));
  }
  for (const Test& test : tests) {
    HB_ASSIGN(const Times times, time_test(session, test, sequence));
    fmt::print("{{\"test\": \"{}\", \"tokens\": {}, \"wall_s\": {:.6f}, \"cpu_s\": {:.6f}}}\n", test.name,
               test.tokens, times.wall_s, times.cpu_s);
  }
  HB_ASSIGN(const BandwidthPoint read, read_bandwidth(model->weight_bytes_per_token(), options.threads));
  fmt::print("{{\"test\": \"read\", \"gbps\": {:.3f}, \"best_gbps\": {:.3f}}}\n", read.gbps.median,
             read.gbps.best);
  return {};
}

}  // namespace
}  // namespace hb::bench

int main(int argc, char** argv) {
  CLI::App app("Measures a model once and prints JSON lines.");
  hb::bench::Options options;
  app.add_option("model", options.model, "A GGUF file")->required();
  app.add_option("--threads", options.threads)->check(CLI::Range(1u, 1024u))->capture_default_str();
  app.add_option("--isa", options.isa, "As of halfbyte --isa")->capture_default_str();
  app.add_option("--tests", options.tests, "For example pp512,tg64,tg32@1024")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  const hb::Status status = hb::bench::run(options);
  if (status) return 0;
  fmt::print(stderr, "engine_bench: {}\n", status.error().message);
  return 1;
}
