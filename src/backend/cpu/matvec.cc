#include "backend/cpu/matvec.h"

#include <algorithm>

#include "backend/cpu/tile_layout.h"
#include "quant/format_traits.h"

namespace hb::cpu {
namespace {

// A chunk of a single-column product reads at least this much, if there are enough tiles for all threads.
constexpr size_t kChunkBytes = 64 << 10;
constexpr uint32_t kChunksPerThread = 4;

// One op with everything looked up.
struct Product {
  const MatvecOp& op;
  const PackedWeight& weight;
  const PackedWeight* up;
  const float* bias;
  const Activation& in;
  Activation& out;
  Activation* residual;
  uint32_t tiles;

  Product(const MatvecOp& op, std::span<const PackedWeight> weights, std::span<Activation> activations)
      : op(op),
        weight(weights[op.weight]),
        up(op.up == kNone ? nullptr : &weights[op.up]),
        bias(op.bias == kNone ? nullptr : weights[op.bias].vector()),
        in(activations[op.in]),
        out(activations[op.out]),
        residual(op.residual == kNone ? nullptr : &activations[op.residual]),
        tiles(tile_count(weight.rows)) {}

  size_t tile_bytes() const { return weight.tile_bytes + (up ? up->tile_bytes : 0); }
};

void multiply_tile(const KernelTable& kernels, const PackedWeight& weight, uint32_t tile,
                   const Activation& in, uint32_t panel, PanelSums& out) {
  if (is_quantised(weight.type)) {
    tile_kernel(kernels, weight.type)(weight.tile(tile), weight.cols, in.quantised_panel(panel), out);
  } else {
    float_tile_kernel(kernels, weight.type)(weight.tile(tile), weight.cols, in.float_panel(panel), out);
  }
}

// The rows' lines of an output lie far apart: fetched while the product is computed, they cost nothing.
void prefetch_rows(Activation& rows, uint32_t panel, uint32_t width, uint32_t first_row) {
  for (uint32_t c = 0; c < width; ++c) {
    float* to = rows.row(panel * kMaxPanel + c) + first_row;
    __builtin_prefetch(to, 1);
    __builtin_prefetch(to + 16, 1);
  }
}

void run_tile(const KernelTable& kernels, const Product& product, uint32_t tile) {
  PanelSums y, up;
  const uint32_t first_row = tile * kTileRows, count = std::min(kTileRows, product.weight.rows - first_row);
  for (uint32_t panel = 0; panel < product.in.panel_count(); ++panel) {
    const uint32_t width = product.in.panel_width(panel);
    prefetch_rows(product.out, panel, width, first_row);
    if (product.residual != nullptr) prefetch_rows(*product.residual, panel, width, first_row);
    multiply_tile(kernels, product.weight, tile, product.in, panel, y);
    if (product.up != nullptr) multiply_tile(kernels, *product.up, tile, product.in, panel, up);
    for (uint32_t c = 0; c < width; ++c) {
      const uint32_t column = panel * kMaxPanel + c;
      kernels.finish_rows({.product = y.value[c],
                           .up = product.up ? up.value[c] : nullptr,
                           .bias = product.bias ? product.bias + first_row : nullptr,
                           .residual = product.residual ? product.residual->row(column) + first_row : nullptr,
                           .out = product.out.row(column) + first_row,
                           .count = count,
                           .gate = product.op.gate,
                           .out_scale = product.op.out_scale});
    }
  }
}

uint32_t tiles_per_chunk(const Product& product, uint32_t total_tiles, uint32_t threads) {
  const auto enough = static_cast<uint32_t>(kChunkBytes / product.tile_bytes() + 1);
  return std::clamp(total_tiles / (threads * kChunksPerThread), 1u, enough);
}

}  // namespace

void run_matvecs(const MatvecGroup& group, std::span<const PackedWeight> weights,
                 std::span<Activation> activations, Shared& shared) {
  const std::span<const MatvecOp> ops = group;
  uint32_t total_tiles = 0;
  for (const MatvecOp& op : ops) total_tiles += tile_count(weights[op.weight].rows);
  const uint32_t threads = shared.pool->thread_count();
  uint32_t first_chunk[kMaxMatvecGroup + 1] = {0};
  uint32_t step[kMaxMatvecGroup];
  for (size_t i = 0; i < ops.size(); ++i) {
    const Product product(ops[i], weights, activations);
    step[i] = tiles_per_chunk(product, total_tiles, threads);
    first_chunk[i + 1] = first_chunk[i] + (product.tiles + step[i] - 1) / step[i];
  }
  shared.pool->parallel_for(first_chunk[ops.size()], [&](uint32_t chunk, uint32_t) {
    size_t i = 0;
    while (chunk >= first_chunk[i + 1]) ++i;
    const Product product(ops[i], weights, activations);
    const uint32_t first = (chunk - first_chunk[i]) * step[i];
    const uint32_t last = std::min(product.tiles, first + step[i]);
    for (uint32_t tile = first; tile < last; ++tile) run_tile(*shared.kernels, product, tile);
  });
}

}  // namespace hb::cpu
