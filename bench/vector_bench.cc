// The element-wise kernels between the matrix products.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backend/cpu/kernel_table.h"
#include "backend/ref/ref_ops.h"
#include "bench_report.h"
#include "cases.h"
#include "support/test_data.h"

namespace hb::bench {
namespace {

constexpr uint32_t kWidths[] = {576, 1536, 4608};
constexpr uint32_t kFinishRows = 32;  // of a tile
constexpr float kEpsilon = 1e-5f;

using testing::Activations;

std::vector<float> random_row(uint32_t count, uint64_t seed) {
  testing::Random random(seed);
  return testing::make_activations(random, Activations::kPlain, count);
}

bool same_blocks(const std::vector<ActivationBlock>& right, const int8_t* codes, const cpu::BlockMeta* meta) {
  for (size_t b = 0; b < right.size(); ++b) {
    if (std::memcmp(right[b].codes, codes + b * kBlockElems, kBlockElems) != 0) return false;
    if (right[b].scale != meta[b].scale || right[b].weighted_sum != meta[b].weighted_sum) return false;
    if (right[b].half_sum[0] != meta[b].half_sum[0] || right[b].half_sum[1] != meta[b].half_sum[1])
      return false;
  }
  return true;
}

void run_quantise(benchmark::State& state, const cpu::KernelTable& table, uint32_t count) {
  const std::vector<float> row = random_row(count, 1);
  std::vector<int8_t> codes(count);
  std::vector<cpu::BlockMeta> meta(count / kBlockElems);
  const cpu::QuantiseArgs args = {row.data(), count, 0, 1, codes.data(), meta.data()};
  table.quantise_row(args);
  std::vector<ActivationBlock> right(meta.size());
  ref::quantise_row(row, right);
  if (!require_right(state, same_blocks(right, codes.data(), meta.data()))) return;
  time_loop(state, {4.0 * count, 0, false}, [&] {
    table.quantise_row(args);
    benchmark::ClobberMemory();
  });
}

void run_rms_norm(benchmark::State& state, const cpu::KernelTable& table, uint32_t count) {
  const std::vector<float> row = random_row(count, 1), weight = random_row(count, 2);
  std::vector<float> out(count), right(count);
  const cpu::NormArgs args = {row.data(), weight.data(), nullptr, out.data(), count, kEpsilon};
  table.rms_norm(args);
  const auto* bytes = reinterpret_cast<const uint8_t*>(weight.data());
  const PlanWeight plan_weight = {"norm", TensorType::kF32, 1, count, {bytes, count * sizeof(float)}};
  ref::rms_norm_row({0, 0, 1, count, kEpsilon, kNone}, plan_weight, row, nullptr, right);
  if (!require_right(state, same_values(right, out))) return;
  time_loop(state, {12.0 * count, 0, false}, [&] {
    table.rms_norm(args);
    benchmark::ClobberMemory();
  });
}

// A gated epilogue, or one with a residual.
void run_finish(benchmark::State& state, const cpu::KernelTable& table, MatvecOp::Gate gate) {
  const bool gated = gate != MatvecOp::Gate::kNone;
  const auto product = random_row(kFinishRows, 1), up = random_row(kFinishRows, 2),
             residual = random_row(kFinishRows, 3);
  std::vector<float> out(kFinishRows), right(kFinishRows);
  const cpu::FinishArgs args = {product.data(), gated ? up.data() : nullptr,
                                nullptr,        gated ? nullptr : residual.data(),
                                out.data(),     kFinishRows,
                                gate,           1.0f};
  table.finish_rows(args);
  for (uint32_t i = 0; i < kFinishRows; ++i) {
    right[i] = ref::finish({gate, 0.0f, 1.0f, gated ? 0.0f : residual[i]}, product[i], up[i]);
  }
  if (!require_right(state, same_values(right, out))) return;
  time_loop(state, {12.0 * kFinishRows, 0, false}, [&] {
    table.finish_rows(args);
    benchmark::ClobberMemory();
  });
}

void register_finish(const cpu::KernelTable& table, const char* gate_name, MatvecOp::Gate gate) {
  benchmark::RegisterBenchmark(fmt::format("finish_rows_{}/{}", table.isa, gate_name).c_str(),
                               [&table, gate](benchmark::State& state) { run_finish(state, table, gate); });
}

}  // namespace

void register_vectors() {
  for (const cpu::KernelTable* table : cpu::usable_kernel_tables(detect_cpu_isa())) {
    for (const uint32_t count : kWidths) {
      benchmark::RegisterBenchmark(fmt::format("quantise_row_{}/K:{}", table->isa, count).c_str(),
                                   [=](benchmark::State& state) { run_quantise(state, *table, count); });
      benchmark::RegisterBenchmark(fmt::format("rms_norm_{}/K:{}", table->isa, count).c_str(),
                                   [=](benchmark::State& state) { run_rms_norm(state, *table, count); });
    }
    register_finish(*table, "residual", MatvecOp::Gate::kNone);
    register_finish(*table, "silu", MatvecOp::Gate::kSilu);
    register_finish(*table, "gelu", MatvecOp::Gate::kGelu);
  }
}

}  // namespace hb::bench
