// A device that fails after any number of calls: the sequence goes on elsewhere, and no bit changes.
#include "backend/fallback/fallback_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/op_cases.h"
#include "backend/ref/ref_backend.h"

namespace hb::testing {
namespace {

// The reference with a device that is lost after `calls` calls.
class FailingContext final : public ExecutionContext {
 public:
  FailingContext(std::unique_ptr<ExecutionContext> inner, int calls, ErrorCode code)
      : inner_(std::move(inner)), calls_(calls), code_(code) {}

  uint32_t capacity() const override { return inner_->capacity(); }
  uint32_t max_batch() const override { return inner_->max_batch(); }
  Status forward(const Batch& batch) override {
    HB_TRY(call());
    return inner_->forward(batch);
  }
  std::span<const float> logits() override { return inner_->logits(); }
  Result<std::vector<float>> read_buffer(BufferId buffer) override { return inner_->read_buffer(buffer); }
  Status write_buffer(BufferId buffer, std::span<const float> values) override {
    return inner_->write_buffer(buffer, values);
  }
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override {
    HB_TRY(call());
    return inner_->read_cache(position, count);
  }
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override {
    HB_TRY(call());
    return inner_->write_cache(position, count, rows);
  }

 private:
  Status call() {
    if (calls_-- > 0) return {};
    return fail(code_, "lost");
  }

  std::unique_ptr<ExecutionContext> inner_;
  int calls_;
  ErrorCode code_;
};

class FailingExecutable final : public Executable {
 public:
  FailingExecutable(std::unique_ptr<Executable> inner, int calls, ErrorCode code)
      : inner_(std::move(inner)), calls_(calls), code_(code) {}
  const Plan& plan() const override { return inner_->plan(); }
  uint64_t weight_bytes() const override { return inner_->weight_bytes(); }
  std::vector<KernelChoice> kernel_choices() const override { return {}; }
  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_ASSIGN(auto context, inner_->new_context(options));
    return std::make_unique<FailingContext>(std::move(context), calls_, code_);
  }

 private:
  std::unique_ptr<Executable> inner_;
  int calls_;
  ErrorCode code_;
};

class FailingBackend final : public Backend {
 public:
  FailingBackend(int calls, ErrorCode code) : calls_(calls), code_(code) {}
  std::string name() const override { return "failing"; }
  std::string description() const override { return "failing"; }
  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    HB_ASSIGN(auto executable, make_ref_backend()->compile(plan, options));
    return std::make_unique<FailingExecutable>(std::move(executable), calls_, code_);
  }

 private:
  int calls_;
  ErrorCode code_;
};

std::unique_ptr<Backend> failing_after(int calls, int& failures, ErrorCode code = ErrorCode::kDevice) {
  return make_fallback_backend({.first = std::make_unique<FailingBackend>(calls, code),
                                .make_second = [] { return make_ref_backend(); },
                                .failed = [&failures](const Error&) { ++failures; }});
}

TEST(Fallback, AnAnswerGoesOnWithTheSameBits) {
  const std::vector<OpCase> cases = chain_cases();  // five batches: a forward and a reading of the cache each
  for (int calls = 0; calls <= 10; ++calls) {
    int failures = 0;
    const auto backend = failing_after(calls, failures);
    expect_equal_to_reference(*backend, cases[0]);
    EXPECT_EQ(failures, calls < 10 ? 1 : 0) << calls;
  }
}

TEST(Fallback, RowsFromOutsideMoveToo) {
  const std::vector<OpCase> cases = attention_cases();  // write_cache, forward, read_cache
  for (int calls = 0; calls < 3; ++calls) {
    int failures = 0;
    const auto backend = failing_after(calls, failures);
    for (size_t i = 0; i < cases.size(); i += 9) expect_equal_to_reference(*backend, cases[i]);
    EXPECT_GT(failures, 0);
  }
}

TEST(Fallback, TokensReplaceRowsAndRowsReplaceTokens) {
  const OpCase op_case = std::move(chain_cases()[0]);
  int failures = 0;
  const auto backend = failing_after(6, failures);
  const auto reference = make_ref_backend();
  std::vector<float> logits[2];
  for (Backend* one : {reference.get(), backend.get()}) {
    auto executable = one->compile(op_case.plan, {});
    auto context = (*executable)->new_context(op_case.options);
    const int32_t tokens[] = {3, 1, 4, 1, 5};
    ASSERT_TRUE((*context)->forward({tokens, 0, 0}));
    auto rows = (*context)->read_cache(0, 3);
    ASSERT_TRUE(rows);
    std::ranges::reverse(*rows);
    ASSERT_TRUE((*context)->write_cache(1, 3, *rows));                     // over tokens
    ASSERT_TRUE((*context)->forward({std::span(tokens).first(2), 3, 0}));  // over rows
    ASSERT_TRUE((*context)->forward({std::span(tokens).last(1), 5, 1}));
    ASSERT_TRUE((*context)->forward({std::span(tokens).last(2), 6, 1}));
    ASSERT_TRUE((*context)->forward({std::span(tokens).first(1), 8, 1}));
    logits[one == backend.get()].assign((*context)->logits().begin(), (*context)->logits().end());
  }
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(logits[0], logits[1]);
}

TEST(Fallback, GreedyDecodingGoesOn) {
  const OpCase op_case = std::move(chain_cases()[0]);
  std::vector<int32_t> expected;
  for (int calls = 0; calls < 14; ++calls) {  // 12 evaluations; the last ones do not fail
    int failures = 0;
    const auto backend = failing_after(12 - calls % 13, failures);
    const auto executable = backend->compile(op_case.plan, {});
    const auto context = (*executable)->new_context(op_case.options);
    std::vector<int32_t> tokens = {1};
    for (uint32_t position = 0; position < 12; position += 4) {
      const auto chosen = (*context)->decode_greedily(tokens.back(), position, 4);
      ASSERT_TRUE(chosen) << chosen.error().message;
      tokens.insert(tokens.end(), chosen->begin(), chosen->end());
    }
    if (calls == 0) expected = tokens;
    EXPECT_EQ(failures, calls % 13 == 0 ? 0 : 1);
    EXPECT_EQ(tokens, expected) << calls;
  }
}

TEST(Fallback, OtherErrorsAreErrors) {
  int failures = 0;
  const auto backend = failing_after(0, failures, ErrorCode::kOutOfMemory);
  const auto trace = run(*backend, chain_cases()[0]);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(failures, 0);
}

TEST(Fallback, WithoutASecondBackendTheErrorIsItsOwn) {
  const auto backend =
      make_fallback_backend({.first = std::make_unique<FailingBackend>(1, ErrorCode::kDevice),
                             .make_second = []() -> Result<std::unique_ptr<Backend>> {
                               return fail(ErrorCode::kUnsupported, "no second");
                             }});
  const auto trace = run(*backend, chain_cases()[0]);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message, "no second");
}

}  // namespace
}  // namespace hb::testing
