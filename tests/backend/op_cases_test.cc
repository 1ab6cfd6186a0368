// The harness itself: the reference equals itself on every case, and backends that are wrong in one bit or in
// the order of two terms do not.
#include "backend/op_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backend/ref/ref_backend.h"

namespace hb::testing {
namespace {

class EveryGroup : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(EveryGroup, ReferenceEqualsItself) {
  const auto backend = make_ref_backend();
  std::set<std::string> names;
  for (const OpCase& op_case : GetParam().make()) {
    expect_equal_to_reference(*backend, op_case);
    names.insert(op_case.name);
  }
  EXPECT_GE(names.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryGroup,
                         ::testing::ValuesIn(op_case_groups().begin(), op_case_groups().end()),
                         [](const auto& info) { return std::string(info.param.name); });

// What a mutant changes; each is the identity here.
struct Mutation {
  virtual ~Mutation() = default;
  virtual void weights(Plan&, std::vector<std::vector<uint8_t>>&) const {}
  virtual void input(const PlanBuffer&, std::vector<float>&) const {}
  virtual void output(const PlanBuffer&, std::vector<float>&) const {}
  virtual void cache(std::vector<uint16_t>&) const {}
};

class MutantContext final : public ExecutionContext {
 public:
  MutantContext(std::unique_ptr<ExecutionContext> inner, const Plan& plan, const Mutation& mutation)
      : inner_(std::move(inner)), plan_(plan), mutation_(mutation) {}
  uint32_t capacity() const override { return inner_->capacity(); }
  uint32_t max_batch() const override { return inner_->max_batch(); }
  Status forward(const Batch& batch) override { return inner_->forward(batch); }
  std::span<const float> logits() override { return inner_->logits(); }
  Result<std::vector<float>> read_buffer(BufferId buffer) override {
    auto values = inner_->read_buffer(buffer);
    mutation_.output(plan_.buffers[buffer], *values);
    return values;
  }
  Status write_buffer(BufferId buffer, std::span<const float> values) override {
    std::vector<float> changed(values.begin(), values.end());
    mutation_.input(plan_.buffers[buffer], changed);
    return inner_->write_buffer(buffer, changed);
  }
  Result<std::vector<uint16_t>> read_cache(uint32_t position, uint32_t count) override {
    auto rows = inner_->read_cache(position, count);
    mutation_.cache(*rows);
    return rows;
  }
  Status write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) override {
    return inner_->write_cache(position, count, rows);
  }

 private:
  std::unique_ptr<ExecutionContext> inner_;
  const Plan& plan_;
  const Mutation& mutation_;
};

class MutantExecutable final : public Executable {
 public:
  MutantExecutable(std::unique_ptr<Executable> inner, const Mutation& mutation)
      : inner_(std::move(inner)), mutation_(mutation) {}
  const Plan& plan() const override { return inner_->plan(); }
  uint64_t weight_bytes() const override { return inner_->weight_bytes(); }
  std::vector<KernelChoice> kernel_choices() const override { return inner_->kernel_choices(); }
  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_ASSIGN(auto context, inner_->new_context(options));
    return std::make_unique<MutantContext>(std::move(context), inner_->plan(), mutation_);
  }

 private:
  std::unique_ptr<Executable> inner_;
  const Mutation& mutation_;
};

class MutantBackend final : public Backend {
 public:
  explicit MutantBackend(const Mutation& mutation) : mutation_(mutation) {}
  std::string name() const override { return "mutant"; }
  std::string description() const override { return "the reference, wrong in one place"; }
  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    Plan changed = plan;
    std::vector<std::vector<uint8_t>> bytes;
    for (const PlanWeight& weight : plan.weights)
      bytes.emplace_back(weight.bytes.begin(), weight.bytes.end());
    mutation_.weights(changed, bytes);
    for (size_t i = 0; i < bytes.size(); ++i) changed.weights[i].bytes = bytes[i];
    HB_ASSIGN(auto executable, make_ref_backend()->compile(changed, options));
    return std::make_unique<MutantExecutable>(std::move(executable), mutation_);
  }

 private:
  const Mutation& mutation_;
};

uint32_t caught(const Mutation& mutation, const std::vector<OpCase>& cases) {
  MutantBackend mutant(mutation);
  return static_cast<uint32_t>(std::ranges::count_if(
      cases, [&](const OpCase& op_case) { return !equals_reference(mutant, op_case); }));
}

// Columns of weights and input trade places, `unit` at a time: every product stays, and only the order of the
// sum changes.
struct SwappedColumns final : Mutation {
  using Swaps = std::vector<std::pair<uint32_t, uint32_t>>;
  SwappedColumns(uint32_t unit, uint32_t min_units, Swaps swaps)
      : unit(unit), min_units(min_units), swaps(swaps) {}

  void weights(Plan& plan, std::vector<std::vector<uint8_t>>& bytes) const override {
    for (size_t w = 0; w < bytes.size(); ++w) {
      const PlanWeight& weight = plan.weights[w];
      if (weight.name == "bias" || weight.cols < min_units * unit) continue;
      const uint64_t stride = row_bytes(weight.type, weight.cols), size = row_bytes(weight.type, unit);
      for (uint32_t row = 0; row < weight.rows; ++row) swap_units(bytes[w].begin() + row * stride, size);
    }
  }
  void input(const PlanBuffer& buffer, std::vector<float>& values) const override {
    swap_columns(buffer, values);
  }
  void output(const PlanBuffer& buffer, std::vector<float>& values) const override {
    swap_columns(buffer, values);
  }

  void swap_columns(const PlanBuffer& buffer, std::vector<float>& values) const {
    if (buffer.name != "in" || buffer.width < min_units * unit) return;
    for (size_t row = 0; row < values.size(); row += buffer.width) swap_units(values.begin() + row, unit);
  }
  template <class Iterator>
  void swap_units(Iterator row, size_t size) const {
    for (const auto& [a, b] : swaps) std::swap_ranges(row + a * size, row + (a + 1) * size, row + b * size);
  }

  uint32_t unit, min_units;
  Swaps swaps;
};

// The first and the third term of lane 0 (the first two commute).
SwappedColumns swapped_lane_order(uint32_t unit) { return {unit, 33, {{0, 32}}}; }

// Lanes with reversed index bits: the tree 1-2-4-8 instead of 8-4-2-1.
SwappedColumns reversed_tree(uint32_t unit) {
  return {unit, 16, {{1, 8}, {2, 4}, {3, 12}, {5, 10}, {7, 14}, {11, 13}}};
}

TEST(Mutants, LaneOrderAndTreeAreCaughtInQuantisedMatvecs) {
  for (const TensorType type :
       {TensorType::kQ4_0, TensorType::kQ4_1, TensorType::kQ8_0, TensorType::kIQ4_NL}) {
    EXPECT_GE(caught(swapped_lane_order(32), quantised_matvec_cases(type)), 5u);
    EXPECT_GE(caught(reversed_tree(32), quantised_matvec_cases(type)), 10u);
  }
}

TEST(Mutants, LaneOrderAndTreeAreCaughtInFloatMatvecs) {
  EXPECT_GE(caught(swapped_lane_order(1), float_matvec_cases()), 10u);
  EXPECT_GE(caught(reversed_tree(1), float_matvec_cases()), 10u);
}

TEST(Mutants, TheIdentityIsNotCaught) {
  EXPECT_EQ(caught(Mutation(), float_matvec_cases()), 0u);
  EXPECT_EQ(caught(Mutation(), chain_cases()), 0u);
}

// The last value of a buffer one bit off.
struct LastBit final : Mutation {
  void output(const PlanBuffer& buffer, std::vector<float>& values) const override {
    if (buffer.name != "out" || values.empty()) return;
    values.back() = std::bit_cast<float>(std::bit_cast<uint32_t>(values.back()) ^ 1u);
  }
};

TEST(Mutants, OneBitOfABufferIsCaughtEverywhere) {
  EXPECT_EQ(caught(LastBit(), embed_cases()), embed_cases().size());
  EXPECT_EQ(caught(LastBit(), attention_cases()), attention_cases().size());
}

struct NegativeZero final : Mutation {
  void output(const PlanBuffer&, std::vector<float>& values) const override {
    for (float& value : values) value = value == 0.0f ? -0.0f : value;
  }
};

TEST(Mutants, NegativeZeroIsCaught) { EXPECT_GE(caught(NegativeZero(), elementwise_cases()), 1u); }

struct CacheBit final : Mutation {
  void cache(std::vector<uint16_t>& rows) const override { rows.back() ^= 1; }
};

TEST(Mutants, OneBitOfTheCacheIsCaughtEverywhere) {
  EXPECT_EQ(caught(CacheBit(), cache_write_cases()), cache_write_cases().size());
}

}  // namespace
}  // namespace hb::testing
