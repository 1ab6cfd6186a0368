#include "quant/activation.h"

#include <bit>

#include "base/exact_math.h"

namespace hb {

ActivationBlock quantise_block(const float* values) {
  uint32_t absmax_bits = 0;
  for (uint32_t i = 0; i < kBlockElems; ++i) {
    const uint32_t magnitude = exact::bits_of(values[i]) & 0x7fffffffu;
    absmax_bits = magnitude > absmax_bits ? magnitude : absmax_bits;
  }
  ActivationBlock block = {};
  if (absmax_bits < exact::bits_of(0x1p-44f)) return block;
  const float absmax = exact::from_bits<float>(absmax_bits);
  block.scale = absmax * exact::rcp(127.0f);
  const float inverse = 127.0f * exact::rcp(absmax);
  for (uint32_t i = 0; i < kBlockElems; ++i) {
    const float scaled = values[i] * inverse;
    const float rounded = scaled + exact::kRoundingMagic;
    const auto code = static_cast<int32_t>(exact::bits_of(rounded) - exact::kRoundingMagicBits);
    block.codes[i] = static_cast<int8_t>(code);
    block.half_sum[i / 16] += block.codes[i];
  }
  block.weighted_sum = block.scale * static_cast<float>(block.half_sum[0] + block.half_sum[1]);
  return block;
}

}  // namespace hb
