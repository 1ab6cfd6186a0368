#include "backend/cpu/activations.h"

#include <algorithm>

namespace hb::cpu {

Status Activation::set_rows(uint32_t rows) {
  if (rows <= row_capacity_) {
    rows_ = rows;
    return {};
  }
  const size_t elems = size_t{rows} * width_;
  if (kind_ == PlanBuffer::Kind::kF32) {
    HB_ASSIGN(data_, AlignedBuffer::allocate(elems * sizeof(float)));
  } else {
    HB_ASSIGN(data_, AlignedBuffer::allocate(elems));
    HB_ASSIGN(meta_, AlignedBuffer::allocate(elems / kBlockElems * sizeof(BlockMeta)));
  }
  rows_ = row_capacity_ = rows;
  return {};
}

uint32_t Activation::panel_width(uint32_t panel) const {
  return std::min(kMaxPanel, rows_ - panel * kMaxPanel);
}

QuantisedPanel Activation::quantised_panel(uint32_t panel) const {
  const size_t offset = panel_offset(panel);
  return {reinterpret_cast<const int8_t*>(data_.data()) + offset,
          reinterpret_cast<const BlockMeta*>(meta_.data()) + offset / kBlockElems, panel_width(panel)};
}

FloatPanel Activation::float_panel(uint32_t panel) const {
  return {floats() + panel_offset(panel), width_, panel_width(panel)};
}

}  // namespace hb::cpu
