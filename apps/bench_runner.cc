#include "apps/bench_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hb {
namespace {

constexpr uint32_t kWarmUpTokens = 8;

// What the tokens are does not matter for the speed; the same ones every time let the cache's content be
// reused.
std::vector<int32_t> token_sequence(uint32_t count, uint32_t vocab) {
  std::vector<int32_t> tokens(count);
  uint32_t state = 1;
  for (int32_t& token : tokens) {
    state = state * 1664525u + 1013904223u;
    token = static_cast<int32_t>((state >> 8) % vocab);
  }
  return tokens;
}

// Brings the session to `depth` tokens, outside of what is timed.
Status go_to(Session& session, std::span<const int32_t> sequence, uint32_t depth) {
  if (depth == 0) {
    session.truncate(0);
    return {};
  }
  HB_TRY(session.set_tokens(sequence.first(depth)));
  return {};
}

Status process(Session& session, const BenchTest& test, std::span<const int32_t> tokens) {
  if (test.kind == BenchTest::Kind::kPrefill) return session.append(tokens);
  for (const int32_t& token : tokens) HB_TRY(session.append({&token, 1}));
  return {};
}

Result<double> tokens_per_second(Session& session, const BenchTest& test, std::span<const int32_t> sequence) {
  HB_TRY(go_to(session, sequence, test.depth));
  const auto start = std::chrono::steady_clock::now();
  HB_TRY(process(session, test, sequence.subspan(test.depth, test.tokens)));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return test.tokens / seconds.count();
}

}  // namespace

std::string BenchTest::name() const {
  const std::string name = fmt::format("{}{}", kind == Kind::kPrefill ? "pp" : "tg", tokens);
  return depth == 0 ? name : fmt::format("{}@{}", name, depth);
}

std::vector<BenchTest> bench_tests(const std::vector<uint32_t>& prefill, const std::vector<uint32_t>& decode,
                                   const std::vector<uint32_t>& depths) {
  std::vector<BenchTest> tests;
  for (const uint32_t depth : depths) {
    for (const uint32_t tokens : prefill) tests.push_back({BenchTest::Kind::kPrefill, tokens, depth});
    for (const uint32_t tokens : decode) tests.push_back({BenchTest::Kind::kDecode, tokens, depth});
  }
  std::erase_if(tests, [](const BenchTest& test) { return test.tokens == 0; });
  return tests;
}

uint32_t bench_context(const std::vector<BenchTest>& tests) {
  uint32_t most = 0;
  for (const BenchTest& test : tests) most = std::max(most, test.depth + test.tokens);
  return most;
}

Result<std::vector<BenchSamples>> run_bench(Session& session, const std::vector<BenchTest>& tests,
                                            uint32_t repetitions,
                                            const std::function<bool(uint32_t)>& on_round) {
  const auto sequence = token_sequence(session.context(), session.model().plan().vocab_size);
  std::vector<BenchSamples> all;
  for (const BenchTest& test : tests) {
    BenchTest warm_up = test;
    warm_up.tokens = std::min(test.tokens, kWarmUpTokens);
    HB_TRY(tokens_per_second(session, warm_up, sequence));
    all.push_back({test, {}});
  }
  for (uint32_t round = 0; round < repetitions; ++round) {
    for (BenchSamples& samples : all) {
      HB_ASSIGN(const double rate, tokens_per_second(session, samples.test, sequence));
      samples.tokens_per_second.push_back(rate);
    }
    if (!on_round(round + 1)) return fail(ErrorCode::kCancelled, "stopped");
  }
  return all;
}

}  // namespace hb
