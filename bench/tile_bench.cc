// The matrix kernels: every row of kernels.def, for every instruction set, at the shapes of real models.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "backend/cpu/kernel_table.h"
#include "backend/cpu/tile_layout.h"
#include "bench_report.h"
#include "cases.h"
#include "tile_data.h"

namespace hb::bench {
namespace {

// SmolLM2-135M (hidden 576, feed-forward 1536) and a 1.17B model (1536, 4608).
constexpr MatrixShape kShapes[] = {{576, 576},   {576, 1536},  {1536, 576},
                                   {1536, 1536}, {1536, 4608}, {4608, 1536}};
constexpr uint32_t kWidths[] = {1, 2, 4, 8};

enum class Source { kCache, kMemory };

struct TileCase {
  const cpu::KernelTable* table;
  TensorType type;
  MatrixShape shape;
  uint32_t width;
  Source source;
};

// The latest matrix is kept: cases of one matrix follow each other.
const PackedMatrix& matrix_for(const TileCase& tile_case) {
  static std::unique_ptr<PackedMatrix> latest;
  if (!latest || latest->type() != tile_case.type || !(latest->shape() == tile_case.shape)) {
    latest.reset();
    latest = std::make_unique<PackedMatrix>(tile_case.type, tile_case.shape);
  }
  return *latest;
}

using TileProduct = std::function<void(const uint8_t* tile, cpu::PanelSums& sums)>;

TileProduct product_of(const TileCase& tile_case, const PanelData& panel) {
  const uint32_t cols = tile_case.shape.cols;
  if (is_quantised(tile_case.type)) {
    return [kernel = cpu::tile_kernel(*tile_case.table, tile_case.type), x = panel.quantised(), cols](
               const uint8_t* tile, cpu::PanelSums& sums) { kernel(tile, cols, x, sums); };
  }
  return [kernel = cpu::float_tile_kernel(*tile_case.table, tile_case.type), x = panel.floats(), cols](
             const uint8_t* tile, cpu::PanelSums& sums) { kernel(tile, cols, x, sums); };
}

bool first_and_last_right(const PackedMatrix& matrix, const PanelData& panel, const TileProduct& product) {
  for (const uint32_t tile : {0u, matrix.tiles() - 1}) {
    cpu::PanelSums sums;
    product(matrix.copy(matrix.copies() - 1) + tile * matrix.tile_bytes(), sums);
    if (!is_reference_product(matrix, tile, panel, sums)) return false;
  }
  return true;
}

void run_tiles(benchmark::State& state, const TileCase& tile_case) {
  const PackedMatrix& matrix = matrix_for(tile_case);
  const PanelData panel(tile_case.shape.cols, tile_case.width);
  const TileProduct product = product_of(tile_case, panel);
  if (!require_right(state, first_and_last_right(matrix, panel, product))) return;
  const uint32_t copies = tile_case.source == Source::kMemory ? matrix.copies() : 1;
  const double operations = 2.0 * tile_case.shape.cols * tile_case.shape.rows * tile_case.width;
  const Work work = {static_cast<double>(matrix.bytes()), operations, is_quantised(tile_case.type)};
  cpu::PanelSums sums;
  uint32_t copy = 0;
  time_loop(state, work, [&] {
    const uint8_t* tiles = matrix.copy(copy);
    for (uint32_t t = 0; t < matrix.tiles(); ++t) {
      product(tiles + t * matrix.tile_bytes(), sums);
      benchmark::DoNotOptimize(sums);
    }
    copy = (copy + 1) % copies;
  });
}

void add_case(const TileCase& tile_case) {
  const char* source = tile_case.source == Source::kMemory ? "memory" : "cache";
  const std::string name =
      fmt::format("{}/K:{}/N:{}/columns:{}/{}", cpu::tile_kernel_name(*tile_case.table, tile_case.type),
                  tile_case.shape.cols, tile_case.shape.rows, tile_case.width, source);
  benchmark::RegisterBenchmark(name.c_str(),
                               [tile_case](benchmark::State& state) { run_tiles(state, tile_case); });
}

void register_type(TensorType type) {
  for (const MatrixShape& shape : kShapes) {
    if (shape.cols % tensor_type_info(type).block_elems != 0) continue;
    for (const cpu::KernelTable* table : cpu::usable_kernel_tables(detect_cpu_isa())) {
      for (const Source source : {Source::kMemory, Source::kCache}) {
        for (const uint32_t width : kWidths) add_case({table, type, shape, width, source});
      }
    }
  }
}

}  // namespace

void register_tiles() {
#define HB_CPU_TILE_KERNEL(type, name) register_type(TensorType::type);
#define HB_CPU_FLOAT_TILE_KERNEL(type, name) register_type(TensorType::type);
#include "backend/cpu/kernels.def"
#undef HB_CPU_TILE_KERNEL
#undef HB_CPU_FLOAT_TILE_KERNEL
}

}  // namespace hb::bench
