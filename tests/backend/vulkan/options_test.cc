// The backend's other ways: memory that cannot be mapped, matrices larger than a binding, and what goes
// wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "backend/op_cases.h"
#include "backend/ref/ref_backend.h"
#include "backend/vulkan/vulkan_backend.h"

namespace hb::testing {
namespace {

void expect_equal(const std::vector<OpCase>& cases, VulkanBackendOptions options) {
  options.validate = true;
  const auto backend = make_vulkan_backend(options);
  ASSERT_TRUE(backend) << backend.error().message;
  for (const OpCase& op_case : cases) expect_equal_to_reference(**backend, op_case);
  EXPECT_THAT(vulkan_report(**backend).messages, ::testing::IsEmpty());
}

TEST(VulkanOptions, StagingBuffersChangeNothing) {
  expect_equal(chain_cases(), {.map_device_memory = false});
}

TEST(VulkanOptions, SeveralThreadsPackTheSame) { expect_equal(chain_cases(), {.threads = 3}); }

TEST(VulkanOptions, ForcedKernelsGiveTheSameBits) {
  expect_equal(quantised_matvec_cases(TensorType::kQ4_0), {.forced_kernels = {"matvec_q4_0_x4"}});
  expect_equal(quantised_matvec_cases(TensorType::kQ6_K), {.forced_kernels = {"matvec_q6_k_x1"}});
}

// 700 rows are 175 groups, of which a binding of 70000 bytes holds 64.
OpCase tall_matrix_case() {
  constexpr uint32_t kRows = 700, kCols = 96;
  CaseBuilder builder("a matrix in three bindings", 1);
  builder.plan().vocab_size = kRows;
  const BufferId in = builder.input("in", kCols, Activations::kPlain, PlanBuffer::Kind::kQ8);
  const BufferId out = builder.buffer("out", kRows), embedded = builder.buffer("embedded", kCols);
  const WeightId matrix = builder.weight("matrix", TensorType::kQ4_0, kRows, kCols);
  builder.op(MatvecOp{in, matrix, out, builder.weight("bias", TensorType::kF32, 1, kRows)});
  builder.op(EmbedOp{matrix, embedded});
  builder.step(5);
  return builder.build();
}

TEST(VulkanOptions, MatricesLargerThanABindingAreSplit) {
  std::vector<OpCase> cases;
  cases.push_back(tall_matrix_case());
  expect_equal(cases, {.max_storage_range = 70000});
}

TEST(VulkanOptions, ABufferLargerThanABindingIsAnError) {
  const auto backend = make_vulkan_backend({.max_storage_range = 1000});
  ASSERT_TRUE(backend) << backend.error().message;
  OpCase op_case = std::move(quantise_cases().front());
  const auto executable = (*backend)->compile(op_case.plan, {});
  ASSERT_TRUE(executable);
  const auto context = (*executable)->new_context({.capacity = 4096, .max_batch = 512});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(context.error().message, ::testing::HasSubstr("binds at most 1000"));
}

TEST(VulkanOptions, ATokenIsOneSubmissionOfWhatIsRecordedAlready) {
  const auto backend = make_vulkan_backend({});
  ASSERT_TRUE(backend) << backend.error().message;
  const OpCase op_case = std::move(chain_cases().front());
  const auto executable = (*backend)->compile(op_case.plan, {});
  const auto context = (*executable)->new_context(op_case.options);
  const int32_t tokens[] = {1, 2, 3, 4, 5};
  ASSERT_TRUE((*context)->forward({std::span(tokens).first(1), 0, 1}));
  const VulkanReport before = vulkan_report(**backend);
  for (uint32_t i = 1; i < 5; ++i) ASSERT_TRUE((*context)->forward({std::span(tokens).subspan(i, 1), i, 1}));
  const VulkanReport after = vulkan_report(**backend);
  EXPECT_EQ(after.submissions - before.submissions, 4u);
  EXPECT_EQ(after.recordings, before.recordings);
}

// Tokens and logits of `total` greedy evaluations, in calls of `step`.
struct Decoded {
  std::vector<int32_t> tokens;
  std::vector<float> logits;
};
Decoded decode_greedily(Backend& backend, const OpCase& op_case, uint32_t step, uint32_t total) {
  const auto executable = backend.compile(op_case.plan, {});
  const auto context = (*executable)->new_context({.capacity = total, .max_batch = 32});
  Decoded out;
  int32_t token = 1;
  for (uint32_t position = 0; position < total; position += step) {
    const auto chosen = (*context)->decode_greedily(token, position, std::min(step, total - position));
    EXPECT_TRUE(chosen) << chosen.error().message;
    if (!chosen) break;
    out.tokens.insert(out.tokens.end(), chosen->begin(), chosen->end());
    out.logits.insert(out.logits.end(), (*context)->logits().begin(), (*context)->logits().end());
    token = chosen->back();
  }
  return out;
}

// 300 positions are two spans of attention.
TEST(VulkanOptions, TheDeviceFeedsItself) {
  const auto backend = make_vulkan_backend({.validate = true});
  ASSERT_TRUE(backend) << backend.error().message;
  const std::vector<OpCase> cases = chain_cases();
  const Decoded expected = decode_greedily(*make_ref_backend(), cases[2], 20, 300),
                actual = decode_greedily(**backend, cases[2], 20, 300);
  EXPECT_EQ(actual.tokens, expected.tokens);
  EXPECT_EQ(actual.logits, expected.logits);
  EXPECT_THAT(vulkan_report(**backend).messages, ::testing::IsEmpty());
  EXPECT_LT(vulkan_report(**backend).submissions, 150u)
      << "300 tokens in calls of 20 are 15 submissions, besides transfers";
}

TEST(VulkanOptions, OfEqualLogitsTheLowestIdIsChosen) {
  constexpr uint32_t kVocab = 5000;
  for (const uint32_t largest : {0u, 63u, 64u, 4095u, 4096u, 4999u}) {
    CaseBuilder builder("argmax", largest);
    builder.plan().vocab_size = kVocab;
    const BufferId stream = builder.buffer("stream", 1), last = builder.output_buffer("last", 1);
    const BufferId logits = builder.output_buffer("logits", kVocab);
    std::vector<float> one(kVocab, 1.0f), values(kVocab, -1.0f);
    for (uint32_t i = largest; i < kVocab; i += 97) values[i] = 3.0f;
    const auto bytes = [](const std::vector<float>& floats) {
      const auto* begin = reinterpret_cast<const uint8_t*>(floats.data());
      return std::vector<uint8_t>(begin, begin + floats.size() * sizeof(float));
    };
    builder.op(EmbedOp{builder.weight("table", TensorType::kF32, kVocab, 1, bytes(one)), stream});
    builder.op(OutputRowsOp{stream, last});
    builder.op(MatvecOp{last, builder.weight("output", TensorType::kF32, kVocab, 1, bytes(values)), logits});
    builder.plan().logits = logits;
    const OpCase op_case = builder.build();
    const auto backend = make_vulkan_backend({});
    ASSERT_TRUE(backend) << backend.error().message;
    const Decoded decoded = decode_greedily(**backend, op_case, 5, 10);
    EXPECT_EQ(decoded.tokens, std::vector<int32_t>(10, static_cast<int32_t>(largest)));
  }
}

TEST(VulkanOptions, LongPromptsComeInBatchesThatNoSystemTakesForHung) {
  const auto backend = make_vulkan_backend({});
  ASSERT_TRUE(backend) << backend.error().message;
  const OpCase op_case = std::move(chain_cases().front());
  const auto executable = (*backend)->compile(op_case.plan, {});
  const auto context = (*executable)->new_context({.capacity = 4096, .max_batch = 2048});
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_LE((*context)->max_batch(), 512u);
}

TEST(VulkanOptions, ContextsOfOneModelRunAtOnce) {
  const auto backend = make_vulkan_backend({.validate = true});
  ASSERT_TRUE(backend) << backend.error().message;
  const OpCase op_case = std::move(chain_cases().front());
  const auto executable = (*backend)->compile(op_case.plan, {});
  std::vector<float> logits[3];
  const auto decode = [&](std::vector<float>& out) {
    const auto context = (*executable)->new_context(op_case.options);
    ASSERT_TRUE(context);
    for (uint32_t i = 0; i < 12; ++i) {
      const int32_t token = static_cast<int32_t>(i);
      ASSERT_TRUE((*context)->forward({{&token, 1}, i, 1}));
    }
    out.assign((*context)->logits().begin(), (*context)->logits().end());
  };
  decode(logits[0]);
  {
    const std::jthread one([&] { decode(logits[1]); }), other([&] { decode(logits[2]); });
  }
  EXPECT_FALSE(logits[0].empty());
  EXPECT_EQ(logits[1], logits[0]);
  EXPECT_EQ(logits[2], logits[0]);
  EXPECT_THAT(vulkan_report(**backend).messages, ::testing::IsEmpty());
}

TEST(VulkanOptions, UnknownNamesAreErrors) {
  EXPECT_EQ(make_vulkan_backend({.device = "no such device"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(make_vulkan_backend({.forced_kernels = {"no_such"}}).error().code, ErrorCode::kInvalidArgument);
}

TEST(VulkanOptions, ADeviceThatIsTooSlowIsGivenUp) {
  const auto backend = make_vulkan_backend({.timeout = std::chrono::milliseconds(0)});
  if (!backend) {  // what is uploaded at the start may already take too long
    EXPECT_EQ(backend.error().code, ErrorCode::kDevice);
    return;
  }
  const OpCase op_case = std::move(chain_cases().front());
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto trace = run(**backend, op_case);
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().code, ErrorCode::kDevice);
  }
}

}  // namespace
}  // namespace hb::testing
