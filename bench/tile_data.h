// Operands of the tile kernels, and what the reference makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/matvec_args.h"
#include "base/aligned_buffer.h"
#include "plan/plan.h"
#include "quant/activation.h"

namespace hb::bench {

struct MatrixShape {
  uint32_t cols;  // K
  uint32_t rows;  // N
  bool operator==(const MatrixShape&) const = default;
};

// A random matrix, packed, with as many copies in a row as exceed the caches.
class PackedMatrix {
 public:
  PackedMatrix(TensorType type, MatrixShape shape);

  TensorType type() const { return type_; }
  MatrixShape shape() const { return shape_; }
  PlanWeight weight() const { return {"matrix", type_, shape_.rows, shape_.cols, blocks_}; }
  uint32_t tiles() const;
  size_t tile_bytes() const;
  size_t bytes() const { return tiles() * tile_bytes(); }  // of one copy
  uint32_t copies() const { return copies_; }
  const uint8_t* copy(uint32_t index) const { return ring_.data() + index * bytes(); }

 private:
  TensorType type_;
  MatrixShape shape_;
  uint32_t copies_;
  std::vector<uint8_t> blocks_;  // GGUF's
  AlignedBuffer ring_;
};

// `width` columns of activations, for both kinds of kernels.
class PanelData {
 public:
  PanelData(uint32_t cols, uint32_t width);
  cpu::QuantisedPanel quantised() const;
  cpu::FloatPanel floats() const { return {values_.data(), cols_, width_}; }

  std::span<const float> column(uint32_t c) const {
    return std::span(values_).subspan(size_t{c} * cols_, cols_);
  }
  const ActivationBlock* column_blocks(uint32_t c) const { return &blocks_[size_t{c} * cols_ / kBlockElems]; }
  uint32_t width() const { return width_; }

 private:
  uint32_t cols_, width_;
  std::vector<float> values_;            // (width, cols)
  std::vector<ActivationBlock> blocks_;  // (width, cols / 32)
  AlignedBuffer codes_;                  // a panel's
  std::vector<cpu::BlockMeta> meta_;
};

// Whether `sums` are, bit for bit, the reference's products of tile `tile` and the panel.
bool is_reference_product(const PackedMatrix& matrix, uint32_t tile, const PanelData& panel,
                          const cpu::PanelSums& sums);

}  // namespace hb::bench
