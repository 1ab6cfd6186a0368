#include "backend/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/ref/ref_backend.h"
#include "base/exact_math.h"

namespace hb::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

Status run_step(ExecutionContext& context, const Step& step, const Plan& plan, OpTrace& trace, size_t index) {
  for (const auto& [buffer, values] : step.inputs) HB_TRY(context.write_buffer(buffer, values));
  HB_TRY(context.forward({step.tokens, step.position, step.output_count}));
  for (BufferId id = 0; id < plan.buffers.size(); ++id) {
    HB_ASSIGN(std::vector<float> values, context.read_buffer(id));
    trace.values.push_back(
        {fmt::format("step {}, buffer '{}'", index, plan.buffers[id].name), std::move(values), {}});
  }
  const std::span<const float> logits = context.logits();
  trace.values.push_back({fmt::format("step {}, logits", index), {logits.begin(), logits.end()}, {}});
  const auto count = static_cast<uint32_t>(step.tokens.size());
  HB_ASSIGN(std::vector<uint16_t> cache, context.read_cache(0, step.position + count));
  trace.values.push_back({fmt::format("step {}, cache", index), {}, std::move(cache)});
  return {};
}

AssertionResult same_floats(const OpTrace::Values& expected, const OpTrace::Values& actual) {
  for (size_t i = 0; i < expected.floats.size(); ++i) {
    const float e = expected.floats[i], a = actual.floats[i];
    if (!std::isfinite(e)) {
      return AssertionFailure() << "the reference leaves the contract: " << expected.what << ", element " << i
                                << ": " << e;
    }
    if (exact::bits_of(e) == exact::bits_of(a)) continue;
    return AssertionFailure() << fmt::format("{}, element {} of {}: expected {} ({:08x}), got {} ({:08x})",
                                             expected.what, i, expected.floats.size(), e, exact::bits_of(e),
                                             a, exact::bits_of(a));
  }
  return AssertionSuccess();
}

AssertionResult same_halves(const OpTrace::Values& expected, const OpTrace::Values& actual) {
  const auto [e, a] = std::ranges::mismatch(expected.halves, actual.halves);
  if (e == expected.halves.end()) return AssertionSuccess();
  return AssertionFailure() << fmt::format("{}, element {} of {}: expected {:04x}, got {:04x}", expected.what,
                                           e - expected.halves.begin(), expected.halves.size(), *e, *a);
}

}  // namespace

Result<OpTrace> run(Backend& backend, const OpCase& op_case) {
  HB_ASSIGN(const std::unique_ptr<Executable> executable, backend.compile(op_case.plan, {}));
  HB_ASSIGN(const std::unique_ptr<ExecutionContext> context, executable->new_context(op_case.options));
  if (op_case.cached > 0) HB_TRY(context->write_cache(0, op_case.cached, op_case.cache));
  OpTrace trace;
  for (size_t i = 0; i < op_case.steps.size(); ++i) {
    HB_TRY(run_step(*context, op_case.steps[i], op_case.plan, trace, i));
  }
  return trace;
}

AssertionResult same_bits(const OpTrace& expected, const OpTrace& actual) {
  if (expected.values.size() != actual.values.size())
    return AssertionFailure() << "another number of steps or buffers";
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const OpTrace::Values &e = expected.values[i], &a = actual.values[i];
    if (e.floats.size() != a.floats.size() || e.halves.size() != a.halves.size()) {
      return AssertionFailure() << fmt::format("{}: expected {} values, got {}", e.what,
                                               e.floats.size() + e.halves.size(),
                                               a.floats.size() + a.halves.size());
    }
    if (AssertionResult result = same_floats(e, a); !result) return result;
    if (AssertionResult result = same_halves(e, a); !result) return result;
  }
  return AssertionSuccess();
}

AssertionResult equals_reference(Backend& backend, const OpCase& op_case) {
  const auto reference = make_ref_backend();
  const Result<OpTrace> expected = run(*reference, op_case);
  if (!expected) return AssertionFailure() << op_case.name << ": reference: " << expected.error().message;
  const Result<OpTrace> actual = run(backend, op_case);
  if (!actual)
    return AssertionFailure() << op_case.name << ": " << backend.name() << ": " << actual.error().message;
  AssertionResult result = same_bits(*expected, *actual);
  return result ? result
                : AssertionFailure() << op_case.name << ": " << backend.name() << ": " << result.message();
}

void expect_equal_to_reference(Backend& backend, const OpCase& op_case) {
  EXPECT_TRUE(equals_reference(backend, op_case));
}

void expect_kernel_of_each_weight(Backend& backend, const OpCase& op_case) {
  const auto executable = backend.compile(op_case.plan, {});
  ASSERT_TRUE(executable) << executable.error().message;
  std::vector<std::string> expected, weights;
  for (const PlanWeight& weight : op_case.plan.weights) expected.push_back(weight.name);
  uint64_t bytes = 0;
  for (const KernelChoice& choice : (*executable)->kernel_choices()) {
    weights.push_back(choice.weight);
    bytes += choice.bytes;
    EXPECT_FALSE(choice.kernel.empty()) << choice.weight;
  }
  EXPECT_EQ(weights, expected);
  EXPECT_EQ(bytes, (*executable)->weight_bytes());
}

void expect_stop_between_weights(Backend& backend) {
  CaseBuilder builder("stop", 1);
  for (const char* name : {"first", "second", "third"}) builder.weight(name, TensorType::kQ8_0, 32, 32);
  std::vector<std::string> done;
  const CompileOptions options = {.weight_done =
                                      [](void* user, const PlanWeight& weight) {
                                        auto& names = *static_cast<std::vector<std::string>*>(user);
                                        names.push_back(weight.name);
                                        return weight.name != "second";
                                      },
                                  .user = &done};
  const OpCase op_case = builder.build();
  const auto executable = backend.compile(op_case.plan, options);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(done, (std::vector<std::string>{"first", "second"}));
}

CaseBuilder::CaseBuilder(std::string name, uint64_t seed) : random_(seed) {
  case_.name = std::move(name);
  case_.options = {.capacity = 1, .max_batch = 1};
  case_.plan.architecture = "test";
  case_.plan.vocab_size = 31;
}

BufferId CaseBuilder::buffer(const char* name, uint32_t width, PlanBuffer::Kind kind) {
  return case_.plan.add_buffer(name, kind, width);
}

BufferId CaseBuilder::output_buffer(const char* name, uint32_t width) {
  return case_.plan.add_buffer(name, PlanBuffer::Kind::kF32, width, true);
}

BufferId CaseBuilder::input(const char* name, uint32_t width, Activations data, PlanBuffer::Kind kind) {
  inputs_.emplace_back(buffer(name, width, kind), data);
  return inputs_.back().first;
}

WeightId CaseBuilder::weight(const char* name, TensorType type, uint32_t rows, uint32_t cols, Weights data) {
  return weight(name, type, rows, cols, make_weights(random_, type, rows, cols, data));
}

WeightId CaseBuilder::weight(const char* name, TensorType type, uint32_t rows, uint32_t cols,
                             std::vector<uint8_t> bytes) {
  case_.weight_bytes.push_back(std::move(bytes));
  return case_.plan.add_weight({name, type, rows, cols, case_.weight_bytes.back()});
}

void CaseBuilder::fill_cache(uint32_t count) {
  size_t width = 0;
  for (const CacheLayer& layer : case_.plan.cache_layers)
    width += size_t{2} * layer.kv_heads * layer.head_dim;
  case_.cached = count;
  case_.cache = make_halves(random_, count * width);
  case_.options.capacity = std::max(case_.options.capacity, count);
}

void CaseBuilder::step(uint32_t count, uint32_t position, uint32_t output_count) {
  Step step = {std::vector<int32_t>(count), position, output_count, {}};
  for (int32_t& token : step.tokens) token = static_cast<int32_t>(random_.below(case_.plan.vocab_size));
  for (const auto& [buffer, data] : inputs_) {
    step.inputs.emplace_back(
        buffer, make_activations(random_, data, size_t{count} * case_.plan.buffers[buffer].width));
  }
  case_.options.capacity = std::max(case_.options.capacity, position + count);
  case_.options.max_batch = std::max(case_.options.max_batch, count);
  case_.steps.push_back(std::move(step));
}

}  // namespace hb::testing
