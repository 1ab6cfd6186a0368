#include "tile_data.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/pack.h"
#include "backend/cpu/tile_layout.h"
#include "backend/ref/ref_ops.h"
#include "base/check.h"
#include "bench_report.h"
#include "quant/weight_block.h"
#include "support/test_data.h"

namespace hb::bench {

PackedMatrix::PackedMatrix(TensorType type, MatrixShape shape) : type_(type), shape_(shape) {
  testing::Random random(shape.cols + shape.rows);
  blocks_ = testing::make_weights(random, type, shape.rows, shape.cols, testing::Weights::kCentred);
  copies_ = static_cast<uint32_t>(beyond_caches_bytes() / bytes() + 1);
  auto ring = AlignedBuffer::allocate(copies_ * bytes(), AlignedBuffer::Pages::kHuge);
  HB_CHECK(ring.has_value());
  ring_ = std::move(*ring);
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    HB_CHECK(cpu::pack_tile(weight(), tile, ring_.data() + tile * tile_bytes()).has_value());
  }
  for (uint32_t i = 1; i < copies_; ++i) std::memcpy(ring_.data() + i * bytes(), ring_.data(), bytes());
}

uint32_t PackedMatrix::tiles() const { return cpu::tile_count(shape_.rows); }
size_t PackedMatrix::tile_bytes() const { return cpu::tile_bytes(type_, shape_.cols); }

PanelData::PanelData(uint32_t cols, uint32_t width) : cols_(cols), width_(width) {
  testing::Random random(cols);
  values_ = testing::make_activations(random, testing::Activations::kPlain, size_t{width} * cols);
  const uint32_t blocks = cols / kBlockElems;
  for (size_t i = 0; i < size_t{width} * blocks; ++i)
    blocks_.push_back(quantise_block(&values_[i * kBlockElems]));
  auto codes = AlignedBuffer::allocate(values_.size());
  HB_CHECK(codes.has_value());
  codes_ = std::move(*codes);
  for (uint32_t b = 0; b < blocks; ++b) {
    for (uint32_t c = 0; c < width; ++c) {
      const ActivationBlock& from = column_blocks(c)[b];
      std::memcpy(codes_.data() + meta_.size() * kBlockElems, from.codes, kBlockElems);
      meta_.push_back({from.scale,
                       from.weighted_sum,
                       from.half_sum[0] + from.half_sum[1],
                       {from.half_sum[0], from.half_sum[1]}});
    }
  }
}

cpu::QuantisedPanel PanelData::quantised() const {
  return {reinterpret_cast<const int8_t*>(codes_.data()), meta_.data(), width_};
}

namespace {

std::vector<WeightBlock> decode_row(const PackedMatrix& matrix, uint32_t row) {
  const PlanWeight weight = matrix.weight();
  const uint8_t* bytes = weight.bytes.data() + row * row_bytes(weight.type, weight.cols);
  std::vector<WeightBlock> blocks;
  for (uint32_t b = 0; b < weight.cols / kBlockElems; ++b)
    blocks.push_back(decode_block(weight.type, bytes, b));
  return blocks;
}

}  // namespace

bool is_reference_product(const PackedMatrix& matrix, uint32_t tile, const PanelData& panel,
                          const cpu::PanelSums& sums) {
  const FormatTraits* format = find_format_traits(matrix.type());
  const uint32_t first = tile * cpu::kTileRows;
  const uint32_t last = std::min(first + cpu::kTileRows, matrix.shape().rows);
  for (uint32_t row = first; row < last; ++row) {
    const auto blocks = format ? decode_row(matrix, row) : std::vector<WeightBlock>();
    for (uint32_t c = 0; c < panel.width(); ++c) {
      const float right = format ? ref::dot_quantised(blocks, format->scales, panel.column_blocks(c))
                                 : ref::dot_float(matrix.weight(), row, panel.column(c));
      if (!same_values({&right, 1}, {&sums.value[c][row - first], 1})) return false;
    }
  }
  return true;
}

}  // namespace hb::bench
