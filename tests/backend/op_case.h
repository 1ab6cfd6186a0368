// A small plan with its data, run on a backend and on the reference, and compared bit for bit.
//
// A new backend's test is three lines: for each group of op_case_groups() (op_cases.h), for each of its
// cases, expect_equal_to_reference(backend, op_case).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/backend.h"
#include "support/test_data.h"

namespace hb::testing {

// One forward() of a case.
struct Step {
  std::vector<int32_t> tokens;
  uint32_t position = 0;
  uint32_t output_count = 1;
  std::vector<std::pair<BufferId, std::vector<float>>> inputs;  // written before it
};

// OWNS the bytes of its plan's weights, so it moves and does not copy.
struct OpCase {
  OpCase() = default;
  OpCase(OpCase&&) = default;
  OpCase& operator=(OpCase&&) = default;
  OpCase(const OpCase&) = delete;

  std::string name;
  Plan plan;
  std::vector<std::vector<uint8_t>> weight_bytes;
  ContextOptions options;
  uint32_t cached = 0;          // positions written to the cache before the first step
  std::vector<uint16_t> cache;  // their rows, as write_cache() takes them
  std::vector<Step> steps;
};

// What a backend made of a case: every buffer, the logits and the cache after every step.
struct OpTrace {
  struct Values {
    std::string what;
    std::vector<float> floats;
    std::vector<uint16_t> halves;
  };
  std::vector<Values> values;
};
Result<OpTrace> run(Backend& backend, const OpCase& op_case);

// Equal bits, all of them, and no NaN or infinity; or the first difference. Zeros must be +0: see
// exact::settle().
::testing::AssertionResult same_bits(const OpTrace& expected, const OpTrace& actual);

::testing::AssertionResult equals_reference(Backend& backend, const OpCase& op_case);
void expect_equal_to_reference(Backend& backend, const OpCase& op_case);

// kernel_choices() has each weight of the plan once, and their bytes add up.
void expect_kernel_of_each_weight(Backend& backend, const OpCase& op_case);

// compile() packs no weight more once weight_done has said stop.
void expect_stop_between_weights(Backend& backend);

// Puts a case together. Data comes from the case's own random numbers.
class CaseBuilder {
 public:
  CaseBuilder(std::string name, uint64_t seed);

  BufferId buffer(const char* name, uint32_t width, PlanBuffer::Kind kind = PlanBuffer::Kind::kF32);
  BufferId output_buffer(const char* name, uint32_t width);
  // A buffer that every step fills.
  BufferId input(const char* name, uint32_t width, Activations data,
                 PlanBuffer::Kind kind = PlanBuffer::Kind::kF32);
  WeightId weight(const char* name, TensorType type, uint32_t rows, uint32_t cols,
                  Weights data = Weights::kPlain);
  // Filled with given bytes.
  WeightId weight(const char* name, TensorType type, uint32_t rows, uint32_t cols,
                  std::vector<uint8_t> bytes);
  void op(Op op) { case_.plan.ops.push_back(std::move(op)); }
  // Random f16 rows at positions 0 … count - 1 of all layers. REQUIRES: the cache layers are there.
  void fill_cache(uint32_t count);
  // Appends a batch of `count` tokens at `position`, and makes the capacity and the largest batch fit it.
  void step(uint32_t count, uint32_t position = 0, uint32_t output_count = 1);

  Plan& plan() { return case_.plan; }
  Random& random() { return random_; }
  OpCase build() { return std::move(case_); }

 private:
  OpCase case_;
  Random random_;
  std::vector<std::pair<BufferId, Activations>> inputs_;
};

}  // namespace hb::testing
