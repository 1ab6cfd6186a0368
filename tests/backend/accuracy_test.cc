// How near the contract's arithmetic is to exact arithmetic: the reference against double precision. Prints
// the table of docs/numerics.md and holds each figure between bounds: worse is a defect, much better means
// that the test has stopped measuring.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/op_case.h"
#include "backend/ref/ref_backend.h"
#include "base/exact_math.h"
#include "base/half.h"
#include "quant/weight_block.h"

namespace hb::testing {
namespace {

// Root of the mean square of a - b over that of b.
double relative_error(std::span<const float> a, std::span<const double> b) {
  double error = 0, magnitude = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    magnitude += b[i] * b[i];
  }
  return std::sqrt(error / magnitude);
}

void report(const std::string& what, double error, double low, double high) {
  fmt::print("  | {} | {:.2g} |\n", what, error);
  EXPECT_GT(error, low) << what;
  EXPECT_LT(error, high) << what;
}

// The values of buffer `name` after the only step.
std::vector<float> result_of(const OpCase& op_case, const std::string& name) {
  const auto backend = make_ref_backend();
  const Result<OpTrace> trace = run(*backend, op_case);
  EXPECT_TRUE(trace) << trace.error().message;
  for (const OpTrace::Values& values : trace->values) {
    if (values.what == "step 0, buffer '" + name + "'") return values.floats;
  }
  ADD_FAILURE() << "no buffer " << name;
  return {};
}

double weight_value(TensorType type, const uint8_t* row, uint32_t i) {
  if (!is_quantised(type)) return load_float(type, row, i);
  const WeightBlock block = decode_block(type, row, i / kBlockElems);
  const uint32_t element = i % kBlockElems;
  const double value =
      static_cast<double>(block.codes[element]) * block.group_scale[element / 16] * block.scale;
  return value + block.minimum[element / 16];
}

std::vector<double> exact_products(const OpCase& op_case, std::span<const float> in) {
  const PlanWeight& weight = op_case.plan.weights[0];
  std::vector<double> out(weight.rows);
  for (uint32_t n = 0; n < weight.rows; ++n) {
    const uint8_t* row = weight.bytes.data() + n * row_bytes(weight.type, weight.cols);
    for (uint32_t i = 0; i < weight.cols; ++i) out[n] += weight_value(weight.type, row, i) * in[i];
  }
  return out;
}

OpCase matvec_case(TensorType type) {
  CaseBuilder builder(tensor_type_name(type), 1);
  BufferId in = builder.input("in", 2048, Activations::kPlain);
  if (is_quantised(type)) {
    const BufferId codes = builder.buffer("codes", 2048, PlanBuffer::Kind::kQ8);
    builder.op(QuantiseOp{in, codes});
    in = codes;
  }
  builder.op(
      MatvecOp{in, builder.weight("weight", type, 512, 2048, Weights::kCentred), builder.buffer("out", 512)});
  builder.step(1);
  return builder.build();
}

TEST(Accuracy, QuantisedMatvecs) {
  fmt::print("  | matvec, K = 2048 | int8 activations and rounding | rounding alone |\n");
  for (const TensorType type : kQuantisedTypes) {
    const OpCase op_case = matvec_case(type);
    const std::vector<float> out = result_of(op_case, "out"), codes = result_of(op_case, "codes");
    const double total = relative_error(out, exact_products(op_case, op_case.steps[0].inputs[0].second));
    // Dequantised codes are rounded once: 2^-25 of each, well below what is measured.
    const double rounding = relative_error(out, exact_products(op_case, codes));
    fmt::print("  | {} | {:.2g} | {:.2g} |\n", tensor_type_name(type), total, rounding);
    EXPECT_GT(total, 2e-3);
    EXPECT_LT(total, 1.5e-2);
    EXPECT_GT(rounding, 1e-8);
    EXPECT_LT(rounding, 6e-7);
  }
}

TEST(Accuracy, FloatMatvecs) {
  for (const TensorType type : kFloatTypes) {
    const OpCase op_case = matvec_case(type);
    const double error =
        relative_error(result_of(op_case, "out"), exact_products(op_case, op_case.steps[0].inputs[0].second));
    report(fmt::format("matvec {}, K = 2048", tensor_type_name(type)), error, 1e-8, 4e-7);
  }
}

TEST(Accuracy, RmsNorm) {
  CaseBuilder builder("rmsnorm", 2);
  const BufferId in = builder.input("in", 2048, Activations::kPlain), out = builder.buffer("out", 2048);
  builder.op(RmsNormOp{in, builder.weight("weight", TensorType::kF32, 1, 2048), out, 2048, 1e-5f});
  builder.step(1);
  const OpCase op_case = builder.build();
  const std::vector<float>& x = op_case.steps[0].inputs[0].second;
  const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0, std::plus<>(),
                                            [](double a, double b) { return a * b; });
  std::vector<double> expected(2048);
  for (uint32_t i = 0; i < 2048; ++i) {
    const double weight = load_float(TensorType::kF32, op_case.plan.weights[0].bytes.data(), i);
    expected[i] = x[i] / std::sqrt(squares / 2048 + static_cast<double>(1e-5f)) * weight;
  }
  report("rmsnorm, 2048", relative_error(result_of(op_case, "out"), expected), 1e-8, 3e-7);
}

// Attention of one head in double over the case's cache (keys, then values).
std::vector<double> exact_attention(const OpCase& op_case, const AttentionOp& op) {
  const std::span<const uint16_t> keys = std::span(op_case.cache).first(op_case.cache.size() / 2);
  const std::span<const uint16_t> values = std::span(op_case.cache).last(op_case.cache.size() / 2);
  const std::vector<float>& query = op_case.steps[0].inputs[0].second;
  std::vector<double> weights(op_case.cached);
  for (uint32_t t = 0; t < weights.size(); ++t) {
    for (uint32_t d = 0; d < op.head_dim; ++d)
      weights[t] += query[d] * double{f16_to_f32(keys[t * op.head_dim + d])};
    weights[t] *= static_cast<double>(op.scale);
  }
  const double maximum = *std::ranges::max_element(weights);
  for (double& weight : weights) weight = std::exp(weight - maximum);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> out(op.head_dim);
  for (uint32_t t = 0; t < weights.size(); ++t) {
    for (uint32_t d = 0; d < op.head_dim; ++d)
      out[d] += weights[t] / sum * f16_to_f32(values[t * op.head_dim + d]);
  }
  return out;
}

TEST(Accuracy, Attention) {
  for (const uint32_t positions : {16u, 256u, 1024u, 4096u}) {
    CaseBuilder builder("attention", positions);
    builder.plan().cache_layers = {{1, 64}};
    const BufferId query = builder.input("query", 64, Activations::kPlain), out = builder.buffer("out", 64);
    const AttentionOp op = {0, query, out, 1, 1, 64, 0.125f};
    builder.op(op);
    builder.fill_cache(positions);
    builder.step(1, positions - 1);
    OpCase op_case = builder.build();
    for (uint16_t& half : op_case.cache) half = (half & 0x8fff) | 0x3000;  // 2^-3 to 2, no outliers
    const double error = relative_error(result_of(op_case, "out"), exact_attention(op_case, op));
    report(fmt::format("attention, {} positions", positions), error, 1e-8, 1e-6);
  }
}

TEST(Accuracy, RopeAtTheEndOfALongContext) {
  CaseBuilder builder("rope", 3);
  RopeTable table;
  for (uint32_t i = 0; i < 32; ++i) table.frequencies.push_back(std::pow(1e4, -2.0 * i / 64));
  builder.plan().rope_tables = {table};
  const BufferId x = builder.input("x", 64, Activations::kPlain);
  builder.op(RopeOp{x, 1, 64, 0, RopeOp::Pairing::kAdjacent});
  builder.step(1, 131071);
  const OpCase op_case = builder.build();
  const std::vector<float>& in = op_case.steps[0].inputs[0].second;
  std::vector<double> expected(64);
  for (uint32_t i = 0; i < 32; ++i) {
    const double angle = 131071 * table.frequencies[i], a = in[2 * i], b = in[2 * i + 1];
    expected[2 * i] = a * std::cos(angle) - b * std::sin(angle);
    expected[2 * i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
  report("rope, position 131071", relative_error(result_of(op_case, "x"), expected), 1e-8, 1e-7);
}

}  // namespace
}  // namespace hb::testing
