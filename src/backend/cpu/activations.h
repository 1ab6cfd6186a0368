// The activation buffers of a CPU context.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/matvec_args.h"
#include "base/aligned_buffer.h"
#include "base/error.h"
#include "plan/plan.h"
#include "quant/activation.h"

namespace hb::cpu {

// One buffer of the plan, for up to `row_capacity` rows.
//   F32: row-major floats
//   Q8:  panels (matvec_args.h): rows 8 p … 8 p + 7 are panel p; the last panel is as wide as the rest of the
//   rows
class Activation {
 public:
  explicit Activation(const PlanBuffer& buffer) : kind_(buffer.kind), width_(buffer.width) {}

  // Makes room for `rows` rows and sets the count. Allocates only if there were never so many. ERRORS:
  // kOutOfMemory.
  Status set_rows(uint32_t rows);

  PlanBuffer::Kind kind() const { return kind_; }
  uint32_t width() const { return width_; }
  uint32_t rows() const { return rows_; }

  float* row(uint32_t r) { return floats() + size_t{r} * width_; }
  std::span<const float> values() const { return {floats(), size_t{rows_} * width_}; }

  uint32_t panel_count() const { return (rows_ + kMaxPanel - 1) / kMaxPanel; }
  uint32_t panel_width(uint32_t panel) const;
  QuantisedPanel quantised_panel(uint32_t panel) const;
  FloatPanel float_panel(uint32_t panel) const;

  // Where row r of a Q8 buffer goes.
  int8_t* panel_codes(uint32_t panel) { return codes() + panel_offset(panel); }
  BlockMeta* panel_meta(uint32_t panel) { return meta() + panel_offset(panel) / kBlockElems; }

 private:
  size_t panel_offset(uint32_t panel) const { return size_t{panel} * kMaxPanel * width_; }
  float* floats() { return reinterpret_cast<float*>(data_.data()); }
  const float* floats() const { return reinterpret_cast<const float*>(data_.data()); }
  int8_t* codes() { return reinterpret_cast<int8_t*>(data_.data()); }
  BlockMeta* meta() { return reinterpret_cast<BlockMeta*>(meta_.data()); }

  PlanBuffer::Kind kind_;
  uint32_t width_;
  uint32_t rows_ = 0;
  uint32_t row_capacity_ = 0;
  AlignedBuffer data_;
  AlignedBuffer meta_;
};

}  // namespace hb::cpu
