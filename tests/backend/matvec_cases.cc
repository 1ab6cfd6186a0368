#include <fmt/format.h>

#include <optional>

#include "backend/op_cases.h"
#include "quant/weight_block.h"

namespace hb::testing {
namespace {

using Gate = MatvecOp::Gate;

constexpr uint32_t kRows[] = {1, 2, 3, 7, 16, 17, 31, 33, 64, 67, 97};
constexpr uint32_t kBatches[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 33, 1, 8, 16};
constexpr uint32_t kBlocks[] = {1,  2,  3, 15,
                                17, 33, 52};  // of 32; lanes with three terms and more show their order
constexpr uint32_t kSuperBlocks[] = {1, 2, 3, 5, 9};
constexpr uint32_t kFloatCols[] = {1, 2, 7, 13, 16, 17, 31, 64, 97, 257};

struct EpilogueCase {
  const char* name;
  bool bias;
  bool residual;
  bool in_place;  // the residual is the output
  Gate gate;
  float out_scale;
};
constexpr EpilogueCase kEpilogues[] = {
    {"plain", false, false, false, Gate::kNone, 1.0f},
    {"bias", true, false, false, Gate::kNone, 1.0f},
    {"residual", false, true, false, Gate::kNone, 1.0f},
    {"silu", false, false, false, Gate::kSilu, 1.0f},
    {"accumulate", false, true, true, Gate::kNone, 1.0f},
    {"scaled", false, false, false, Gate::kNone, 0.1234567f},
    {"gelu", false, false, false, Gate::kGelu, 1.0f},
    {"bias scaled accumulate", true, true, true, Gate::kNone, -3.7f},
    {"bias silu scaled residual", true, true, false, Gate::kSilu, 0x1p-40f},
    {"bias gelu accumulate", true, true, true, Gate::kGelu, 1.0f},
};

struct Shape {
  uint32_t rows;
  uint32_t cols;
  uint32_t batch;
};

// A gate's cube must stay finite: huge inputs are for plain matvecs.
Activations fit_for(Gate gate, Activations data) {
  const bool huge = data == Activations::kHuge || data == Activations::kSpread;
  return gate != Gate::kNone && huge ? Activations::kPlain : data;
}

OpCase matvec_case(TensorType type, const Shape& shape, const EpilogueCase& epilogue, Activations data,
                   Weights weights) {
  const bool gated = epilogue.gate != Gate::kNone;
  if (gated) weights = Weights::kPlain;
  CaseBuilder builder(
      fmt::format("{} ({}, {}) batch {} {} data {} weights {}", tensor_type_name(type), shape.rows,
                  shape.cols, shape.batch, epilogue.name, static_cast<int>(data), static_cast<int>(weights)),
      shape.rows * 1009 + shape.cols * 31 + shape.batch);
  const auto kind = is_quantised(type) ? PlanBuffer::Kind::kQ8 : PlanBuffer::Kind::kF32;
  MatvecOp op;
  op.in = builder.input("in", shape.cols, fit_for(epilogue.gate, data), kind);
  op.weight = builder.weight("weight", type, shape.rows, shape.cols, weights);
  if (epilogue.bias) op.bias = builder.weight("bias", TensorType::kF32, 1, shape.rows, weights);
  if (epilogue.residual) op.residual = builder.input("residual", shape.rows, Activations::kSpread);
  op.out = epilogue.in_place ? op.residual : builder.buffer("out", shape.rows);
  op.gate = epilogue.gate;
  if (gated) op.up = builder.weight("up", type, shape.rows, shape.cols, weights);
  op.out_scale = epilogue.out_scale;
  builder.op(op);
  builder.step(shape.batch);
  return builder.build();
}

OpCase nth_case(TensorType type, uint32_t i, uint32_t cols) {
  const Shape shape = {cycle(kRows, i), cols, cycle(kBatches, i)};
  const Weights weights = i % 5 == 1 ? Weights::kEdges : Weights::kPlain;
  return matvec_case(type, shape, cycle(kEpilogues, i + i / 10), cycle(kAllActivations, i + i / 6), weights);
}

// What a matvec of a group writes, and the residual that it reads: indices of the buffers a, b, c.
struct Neighbour {
  uint32_t out;
  std::optional<uint32_t> residual;
};
struct GroupCase {
  const char* name;
  std::vector<Neighbour> neighbours;
};

// Large enough that threads are in two of the ops at a time, if they are let.
OpCase group_case(const GroupCase& group, TensorType type, uint32_t batch) {
  constexpr uint32_t kRowsOfGroup = 600, kColsOfGroup = 128;
  CaseBuilder builder(fmt::format("{} {} batch {}", group.name, tensor_type_name(type), batch), batch);
  const auto kind = is_quantised(type) ? PlanBuffer::Kind::kQ8 : PlanBuffer::Kind::kF32;
  const BufferId in = builder.input("in", kColsOfGroup, Activations::kPlain, kind);
  BufferId buffers[3];
  for (BufferId& buffer : buffers) buffer = builder.input("buffer", kRowsOfGroup, Activations::kPlain);
  for (const Neighbour& neighbour : group.neighbours) {
    MatvecOp op = {.in = in,
                   .weight = builder.weight("weight", type, kRowsOfGroup, kColsOfGroup),
                   .out = buffers[neighbour.out]};
    if (neighbour.residual) op.residual = buffers[*neighbour.residual];
    builder.op(op);
  }
  builder.step(batch);
  return builder.build();
}

}  // namespace

std::vector<OpCase> matvec_group_cases() {
  const GroupCase groups[] = {
      {"independent", {{0, {}}, {1, {}}, {2, 2}}},
      {"each other's residual", {{0, 1}, {1, 0}}},
      {"residual from before", {{0, {}}, {1, 0}, {2, 1}}},
      {"residual overwritten", {{0, 1}, {1, {}}}},
      {"one output", {{0, {}}, {0, 0}, {0, 0}}},
      {"more than a group", std::vector<Neighbour>(11, {2, 2})},
  };
  std::vector<OpCase> cases;
  for (const GroupCase& group : groups) {
    cases.push_back(group_case(group, TensorType::kQ4_0, 5));
    cases.push_back(group_case(group, TensorType::kF16, 1));
  }
  return cases;
}

std::vector<OpCase> quantised_matvec_cases(TensorType type) {
  const bool super_blocks = tensor_type_info(type).block_elems == 256;
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 50; ++i) {
    cases.push_back(
        nth_case(type, i, super_blocks ? 256 * cycle(kSuperBlocks, i + i / 10) : 32 * cycle(kBlocks, i)));
  }
  return cases;
}

std::vector<OpCase> float_matvec_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 120; ++i) {
    cases.push_back(nth_case(cycle(kFloatTypes, i), i, cycle(kFloatCols, i + i / 20)));
  }
  return cases;
}

}  // namespace hb::testing
