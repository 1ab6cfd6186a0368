#include <fmt/format.h>

#include "backend/op_cases.h"
#include "base/exact_double.h"
#include "base/exact_math.h"
#include "base/half.h"
#include "quant/weight_block.h"

namespace hb::testing {
namespace {

constexpr uint32_t kBatches[] = {1, 2, 3, 5, 9, 33, 4};

struct NormShape {
  uint32_t width;
  uint32_t group;
};
constexpr NormShape kNormShapes[] = {{1, 1},     {7, 7},    {16, 16},  {17, 17},  {64, 64},  {97, 97},
                                     {576, 576}, {128, 64}, {240, 80}, {192, 96}, {512, 256}};

OpCase rms_norm_case(uint32_t i) {
  const NormShape shape = cycle(kNormShapes, i);
  const Activations data = cycle(kAllActivations, i + i / 6);
  const TensorType type = cycle(kFloatTypes, i + i / 3);
  constexpr const char* kPlaces[] = {"out", "in place", "residual", "accumulate"};
  const uint32_t place = i % 4;
  CaseBuilder builder(fmt::format("rmsnorm {}/{} {} {} data {}", shape.width, shape.group,
                                  tensor_type_name(type), kPlaces[place], static_cast<int>(data)),
                      i);
  constexpr float kEpsilons[] = {1e-5f, 1e-6f, 0x1p-40f};
  RmsNormOp op = {.in = builder.input("in", shape.width, data),
                  .weight = 0,
                  .out = 0,
                  .group = shape.group,
                  .epsilon = cycle(kEpsilons, i)};
  op.weight = builder.weight("weight", type, 1, shape.group, i % 5 == 0 ? Weights::kEdges : Weights::kPlain);
  if (place >= 2) op.residual = builder.input("residual", shape.width, Activations::kPlain);
  op.out = place == 1 ? op.in : place == 3 ? op.residual : builder.buffer("out", shape.width);
  builder.op(op);
  builder.step(cycle(kBatches, i));
  return builder.build();
}

struct RopeShape {
  uint32_t head_dim;
  uint32_t rotary_dims;
};
constexpr RopeShape kRopeShapes[] = {{64, 64},   {80, 80}, {96, 96}, {128, 128},
                                     {256, 256}, {80, 32}, {6, 2},   {128, 64}};

RopeTable rope_table(uint32_t rotary_dims, double base, double magnitude) {
  RopeTable table;
  for (uint32_t i = 0; i < rotary_dims / 2; ++i)
    table.frequencies.push_back(exact::pow(base, -2.0 * i / rotary_dims));
  table.magnitude = magnitude;
  return table;
}

OpCase rope_case(uint32_t i) {
  constexpr uint32_t kHeads[] = {1, 2, 3, 5, 9};
  constexpr uint32_t kPositions[] = {0, 1, 250, 511, 4095, 8000};
  const RopeShape shape = cycle(kRopeShapes, i);
  const auto pairing = i % 2 == 0 ? RopeOp::Pairing::kAdjacent : RopeOp::Pairing::kHalves;
  const Activations data = cycle(kAllActivations, i + i / 6);
  CaseBuilder builder(fmt::format("rope {} of {} pairing {} data {}", shape.rotary_dims, shape.head_dim,
                                  i % 2, static_cast<int>(data)),
                      i);
  builder.plan().rope_tables = {rope_table(8, 1e4, 1.0),
                                rope_table(shape.rotary_dims, 1e6, i % 3 == 0 ? 1.1 : 1.0)};
  const uint32_t heads = cycle(kHeads, i);
  builder.op(RopeOp{builder.input("x", heads * shape.head_dim, data), heads, shape.head_dim, 1, pairing});
  builder.step(cycle(kBatches, i), cycle(kPositions, i + i / 6));
  return builder.build();
}

OpCase embed_case(TensorType type, uint32_t i) {
  const uint32_t cols = is_quantised(type) ? 256 * (1 + i % 3) : 1 + 48 * i;
  CaseBuilder builder(fmt::format("embed {} of {}, {}", tensor_type_name(type), cols, i), i);
  const WeightId table =
      builder.weight("table", type, 31, cols, i % 2 == 1 ? Weights::kEdges : Weights::kPlain);
  constexpr float kScales[] = {1.0f, 25.298221f, 0x1p-40f};
  builder.op(EmbedOp{table, builder.buffer("out", cols), cycle(kScales, i)});
  builder.step(cycle(kBatches, i));
  return builder.build();
}

// Values that f16 can and cannot hold: halves, and the middle between two halves.
std::vector<float> half_like(Random& random, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    const uint16_t half = static_cast<uint16_t>(random.below(0x7bff)) | (random.chance(50) ? 0x8000 : 0);
    const float low = f16_to_f32(half), high = f16_to_f32(static_cast<uint16_t>(half + 1));
    value = exact::settle(random.chance(70) ? (low + high) * 0.5f : random.chance(50) ? low : low * 0x1p-12f);
  }
  return values;
}

OpCase cache_write_case(uint32_t i) {
  constexpr uint32_t kPositions[] = {0, 1, 13, 255, 256};
  constexpr uint32_t kHeadDims[] = {64, 80, 96, 128, 256, 5};
  const CacheLayer layer = {1 + i % 3, cycle(kHeadDims, i)};
  CaseBuilder builder(fmt::format("cache write {} of {}", layer.kv_heads, layer.head_dim), i);
  builder.plan().cache_layers = {{1, 8}, layer};
  const uint32_t width = layer.kv_heads * layer.head_dim;
  const uint32_t position = cycle(kPositions, i), count = cycle(kBatches, i);
  const BufferId key = builder.buffer("key", width), value = builder.buffer("value", width);
  builder.op(CacheWriteOp{1, key, value});
  builder.fill_cache(position + count);
  builder.step(count, position);
  OpCase result = builder.build();
  Random random(i);
  for (const BufferId id : {key, value})
    result.steps[0].inputs.emplace_back(id, half_like(random, size_t{count} * width));
  return result;
}

OpCase softcap_case(uint32_t i, Activations data) {
  constexpr float kCaps[] = {30.0f, 50.0f, 0.75f, 0x1p-40f, 0x1p40f};
  CaseBuilder builder(fmt::format("softcap {} data {}", cycle(kCaps, i), static_cast<int>(data)), i);
  builder.op(SoftcapOp{builder.input("x", 97, data), cycle(kCaps, i)});
  builder.step(3);
  return builder.build();
}

OpCase scale_case(uint32_t i, Activations data) {
  constexpr float kScales[] = {0.5f, -1.1f, 0x1p-40f, 25.298221f, 0x1p40f};
  CaseBuilder builder(fmt::format("scale {} data {}", cycle(kScales, i), static_cast<int>(data)), i);
  builder.op(ScaleOp{builder.input("x", 61, data), cycle(kScales, i)});
  builder.step(cycle(kBatches, i));
  return builder.build();
}

OpCase output_rows_case(uint32_t count, uint32_t outputs) {
  CaseBuilder builder(fmt::format("output rows {} of {}", outputs, count), count);
  const BufferId in = builder.input("in", 37, Activations::kPlain), out = builder.output_buffer("out", 37);
  builder.op(OutputRowsOp{in, out});
  builder.op(ScaleOp{out, 0.7f});
  builder.step(count, 0, outputs);
  return builder.build();
}

}  // namespace

std::vector<OpCase> embed_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 4; ++i) {
    for (const TensorType type : kQuantisedTypes) cases.push_back(embed_case(type, i));
    for (const TensorType type : kFloatTypes) cases.push_back(embed_case(type, i));
  }
  return cases;
}

std::vector<OpCase> rms_norm_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 132; ++i) cases.push_back(rms_norm_case(i));
  return cases;
}

std::vector<OpCase> quantise_cases() {
  std::vector<OpCase> cases;
  for (const Activations data : kAllActivations) {
    for (const uint32_t width : {32u, 64u, 96u, 544u, 1024u}) {
      CaseBuilder builder(fmt::format("quantise {} data {}", width, static_cast<int>(data)), width);
      const BufferId in = builder.input("in", width, data);
      builder.op(QuantiseOp{in, builder.buffer("out", width, PlanBuffer::Kind::kQ8)});
      builder.step(width % 7 + 1);
      cases.push_back(builder.build());
    }
  }
  return cases;
}

std::vector<OpCase> rope_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 48; ++i) cases.push_back(rope_case(i + i / 8));
  return cases;
}

std::vector<OpCase> cache_write_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 30; ++i) cases.push_back(cache_write_case(i));
  return cases;
}

std::vector<OpCase> elementwise_cases() {
  std::vector<OpCase> cases;
  for (uint32_t i = 0; i < 30; ++i) {
    // Not to leave the contract: a cap is far above or within what it caps, and 2^80 is no stored value.
    cases.push_back(softcap_case(i, cycle(kAllActivations, i)));
    cases.push_back(scale_case(i, cycle(kAllActivations, i)));
  }
  for (const uint32_t count : {1u, 2u, 5u, 9u, 33u}) {
    for (const uint32_t outputs : {0u, 1u, count}) cases.push_back(output_rows_case(count, outputs));
  }
  return cases;
}

}  // namespace hb::testing
