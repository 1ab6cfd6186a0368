#include "backend/ref/ref_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/op_cases.h"
#include "backend/ref/lanes.h"
#include "backend/ref/ref_attention.h"

namespace hb::testing {
namespace {

TEST(Lanes, TreeJoinsEightFourTwoOne) {
  // 2^24 + 1 is no float: the order of the joins decides what is lost.
  ref::Lanes lanes;
  lanes.add(0, 0x1p24f);
  lanes.add(8, 1.0f);  // lost: 2^24 + 1 rounds to 2^24
  lanes.add(4, 1.0f);  // joined with lane 12 first: 1 + 1 = 2 arrives
  lanes.add(12, 1.0f);
  EXPECT_EQ(lanes.total(), 0x1p24f + 2.0f);
}

TEST(Lanes, SpansAreCutByAbsolutePosition) {
  // Positions 255 and 256 are in two spans, so 1 and 1 never meet before 2^24 comes between them.
  const auto term = [](uint32_t t) { return t == 254 ? 0x1p24f : t == 255 || t == 256 ? 1.0f : 0.0f; };
  EXPECT_EQ(ref::sum_by_position(254, 256, term, ref::lane_of_value), 0x1p24f);
  // Positions 0, 128 and 192 are in one span: its tree joins 0 with 128 before 128 could meet 192.
  const auto spread = [](uint32_t t) { return t == 0 ? 0x1p24f : t == 128 || t == 192 ? 1.0f : 0.0f; };
  EXPECT_EQ(ref::sum_by_position(0, 255, spread, ref::lane_of_value), 0x1p24f);
  // Positions 16 to 31 share a lane, which holds their 2 before it meets lane 0.
  const auto shifted = [](uint32_t t) { return t == 15 ? 0x1p24f : t == 16 || t == 17 ? 1.0f : 0.0f; };
  EXPECT_EQ(ref::sum_by_position(15, 17, shifted, ref::lane_of_value), 0x1p24f + 2.0f);
}

TEST(VisiblePositions, WindowsEndAtTheToken) {
  const auto range = [](uint32_t position, uint32_t window) {
    const ref::PositionRange r = ref::visible_positions(position, window);
    return std::pair(r.first, r.last);
  };
  EXPECT_EQ(range(7, 0), std::pair(0u, 7u));
  EXPECT_EQ(range(7, 1), std::pair(7u, 7u));
  EXPECT_EQ(range(7, 7), std::pair(1u, 7u));
  EXPECT_EQ(range(7, 8), std::pair(0u, 7u));
  EXPECT_EQ(range(7, 9), std::pair(0u, 7u));
}

// The same tokens in one batch and in several give the same logits and the same cache.
TEST(RefBackend, BatchesDoNotChangeTheAnswer) {
  for (OpCase& op_case : chain_cases()) {
    const auto backend = make_ref_backend();
    const Result<OpTrace> split = run(*backend, op_case);
    ASSERT_TRUE(split) << split.error().message;
    Step whole;
    for (const Step& step : op_case.steps)
      whole.tokens.insert(whole.tokens.end(), step.tokens.begin(), step.tokens.end());
    op_case.options.max_batch = static_cast<uint32_t>(whole.tokens.size());
    op_case.steps = {whole};
    const Result<OpTrace> joined = run(*backend, op_case);
    ASSERT_TRUE(joined) << joined.error().message;
    const auto count = split->values.size();
    ASSERT_EQ(split->values[count - 1].halves.size(), joined->values.back().halves.size());
    EXPECT_EQ(split->values[count - 1].halves, joined->values.back().halves) << op_case.name;
    EXPECT_EQ(split->values[count - 2].floats, joined->values[joined->values.size() - 2].floats)
        << op_case.name;
    EXPECT_EQ(joined->values[joined->values.size() - 2].floats.size(), op_case.plan.vocab_size);
  }
}

uint64_t hash_of(const std::vector<OpCase>& cases) {
  const auto backend = make_ref_backend();
  uint64_t hash = 1469598103934665603ull;
  for (const OpCase& op_case : cases) {
    const Result<OpTrace> trace = run(*backend, op_case);
    EXPECT_TRUE(trace) << op_case.name;
    for (const OpTrace::Values& values : trace->values) {
      for (const float value : values.floats)
        hash = (hash ^ std::bit_cast<uint32_t>(value)) * 1099511628211ull;
      for (const uint16_t half : values.halves) hash = (hash ^ half) * 1099511628211ull;
    }
  }
  return hash;
}

// Golden bits: a change of the contract, or a compiler or platform that rounds otherwise, shows here.
TEST(RefBackend, GoldenBits) {
  EXPECT_EQ(hash_of(chain_cases()), 7058383939550268952ull);
  EXPECT_EQ(hash_of(attention_cases()), 4100222301159041747ull);
}

TEST(RefBackend, NamesTheWeightAndRowThatLeaveTheContract) {
  OpCase op_case = std::move(float_matvec_cases()[0]);  // F32, one row of one column
  const float bad = NAN;
  std::memcpy(op_case.weight_bytes[0].data(), &bad, 4);
  const auto executable = make_ref_backend()->compile(op_case.plan, {});
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, ErrorCode::kBadFile);
  EXPECT_EQ(executable.error().message,
            "weight 'weight', row 0: element 0 is nan; weights must be finite and below 2^40");
}

TEST(RefBackend, RefusesAPlanThatIsNotWellFormed) {
  OpCase op_case = std::move(float_matvec_cases()[0]);
  op_case.plan.weights[0].cols = 2;
  const auto executable = make_ref_backend()->compile(op_case.plan, {});
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, ErrorCode::kInvalidArgument);
}

TEST(RefBackend, OwnsItsWeights) {
  OpCase op_case = std::move(chain_cases()[0]);
  uint64_t done = 0, expected = 0;
  const CompileOptions options = {.weight_done =
                                      [](void* user, const PlanWeight& weight) {
                                        *static_cast<uint64_t*>(user) += weight.bytes.size();
                                        return true;
                                      },
                                  .user = &done};
  const auto executable = make_ref_backend()->compile(op_case.plan, options);
  ASSERT_TRUE(executable);
  for (std::vector<uint8_t>& bytes : op_case.weight_bytes) {
    expected += bytes.size();
    std::ranges::fill(bytes, 0xff);  // as if the file had been closed
  }
  EXPECT_EQ(done, expected);
  EXPECT_EQ((*executable)->weight_bytes(), expected);
  const auto context = (*executable)->new_context(op_case.options);
  const Step& step = op_case.steps[0];
  ASSERT_TRUE((*context)->forward({step.tokens, 0, 1}));
  for (const float logit : (*context)->logits()) EXPECT_TRUE(std::isfinite(logit));
}

TEST(RefBackend, TellsTheKernelOfEachWeight) {
  for (const OpCase& op_case : chain_cases()) expect_kernel_of_each_weight(*make_ref_backend(), op_case);
}

TEST(RefBackend, StopsBetweenWeights) { expect_stop_between_weights(*make_ref_backend()); }

TEST(RefBackend, MoreCacheThanAnyMemoryIsAnError) {
  Plan plan;
  plan.cache_layers = {{1, 1u << 31}};
  const auto executable = make_ref_backend()->compile(plan, {}).value();
  const auto context = executable->new_context({.capacity = UINT32_MAX});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, ErrorCode::kOutOfMemory);
  EXPECT_NE(context.error().message.find("4294967295 positions"), std::string::npos);
}

class RefContextTest : public ::testing::Test {
 protected:
  RefContextTest() : op_case(std::move(chain_cases()[0])) {
    executable = std::move(make_ref_backend()->compile(op_case.plan, {}).value());
    context = executable->new_context({.capacity = 20, .max_batch = 4}).value();
  }
  OpCase op_case;
  std::unique_ptr<Executable> executable;
  std::unique_ptr<ExecutionContext> context;
};

TEST_F(RefContextTest, CacheRowsRoundTrip) {
  const size_t width = op_case.plan.cache_layers.size() * 2 * 2 * 64;
  Random random(1);
  const std::vector<uint16_t> rows = make_halves(random, 3 * width);
  ASSERT_TRUE(context->write_cache(17, 3, rows));
  EXPECT_EQ(context->read_cache(17, 3).value(), rows);
  const std::vector<uint16_t> before = context->read_cache(0, 17).value();
  EXPECT_EQ(before, std::vector<uint16_t>(17 * width));
  // Layer by layer: the second half of the middle row's values is the second layer's.
  const std::vector<uint16_t> middle = context->read_cache(18, 1).value();
  EXPECT_TRUE(std::equal(middle.begin(), middle.begin() + 128, rows.begin() + 128));
  EXPECT_TRUE(std::equal(middle.end() - 128, middle.end(), rows.end() - 256));
}

TEST_F(RefContextTest, RefusesPositionsAndSizesThatDoNotFit) {
  EXPECT_EQ(context->read_cache(18, 3).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(context->read_cache(UINT32_MAX, 2).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(context->write_cache(0, 1, std::vector<uint16_t>(7)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(context->write_buffer(0, std::vector<float>(255)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(context->write_buffer(0, std::vector<float>(5 * 256)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(executable->new_context({.capacity = 0}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RefContextTest, BuffersHoldTheRowsOfTheLastBatchOrWrite) {
  ASSERT_TRUE(context->write_buffer(0, std::vector<float>(2 * 256, 0.5f)));
  EXPECT_EQ(context->read_buffer(0).value(), std::vector<float>(2 * 256, 0.5f));
  ASSERT_TRUE(context->forward({std::vector<int32_t>{1, 2, 3}, 0, 0}));
  EXPECT_EQ(context->read_buffer(0)->size(), 3u * 256);
  EXPECT_TRUE(context->logits().empty());
}

}  // namespace
}  // namespace hb::testing
