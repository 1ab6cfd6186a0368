// One block of 32 weights out of GGUF's bytes: unsigned codes, and the scales that go with them.
//
// Inline templates over the format, because packing a model runs them for every block; the reference
// arithmetic (weight_block.h) is made of the same functions, so there is one reading of each format.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/half.h"
#include "quant/gguf_blocks.h"
#include "quant/tensor_type.h"

namespace hb {

// What multiplies the codes of a block, in the format's own terms: scale = f16 value, group factors as
// integers.
struct BlockScales {
  float scale = 0;    // of the block, or of its super-block of 256
  float minimum = 0;  // likewise; real minimum = minimum * group_minimum
  int16_t group_scale[2] = {1, 1};
  int16_t group_minimum[2] = {1, 1};
};

// Negative zero, which GGUF files hold, becomes +0: no result may depend on the sign of zero.
inline float load_scale(uint16_t bits) { return bits == 0x8000u ? 0.0f : f16_to_f32(bits); }

template <class Block>
const Block& block_at(const uint8_t* row, uint32_t index) {
  return reinterpret_cast<const Block*>(row)[index];
}

inline void unpack_nibbles(const uint8_t* bytes, uint8_t* codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = bytes[i] & 15;
    codes[i + 16] = bytes[i] >> 4;
  }
}

inline void add_fifth_bits(uint32_t high_bits, uint8_t* codes) {
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(codes[i] | ((high_bits >> i) & 1u) << 4);
}

// Q4_K and Q5_K: the 6-bit scale and minimum of sub-block `b` out of 12 bytes.
inline void unpack_k_scales(const uint8_t* packed, uint32_t b, BlockScales& out) {
  int scale, minimum;
  if (b < 4) {
    scale = packed[b] & 63;
    minimum = packed[b + 4] & 63;
  } else {
    scale = (packed[b + 4] & 15) | (packed[b - 4] >> 6) << 4;
    minimum = (packed[b + 4] >> 4) | (packed[b] >> 6) << 4;
  }
  out.group_scale[0] = out.group_scale[1] = static_cast<int16_t>(scale);
  out.group_minimum[0] = out.group_minimum[1] = static_cast<int16_t>(minimum);
}

inline int unpack_q3_scale(const uint8_t* packed, uint32_t group) {
  const int low = group < 8 ? packed[group] & 15 : packed[group - 8] >> 4;
  const int high = (packed[8 + group % 4] >> (2 * (group / 4))) & 3;
  return (low | high << 4) - 32;
}

// Writes 32 unsigned codes (Q8_0: the signed byte) of block `index` to `codes`.
template <TensorType kType>
void unpack_codes(const uint8_t* row, uint32_t index, uint8_t* codes) {
  const uint32_t b = index % 8;  // of a super-block's eight
  const uint32_t half = b / 4, shift = 2 * (b % 4);
  if constexpr (kType == TensorType::kQ4_0 || kType == TensorType::kIQ4_NL) {
    unpack_nibbles(block_at<gguf::Q4_0>(row, index).codes, codes);
  } else if constexpr (kType == TensorType::kQ4_1) {
    unpack_nibbles(block_at<gguf::Q4_1>(row, index).codes, codes);
  } else if constexpr (kType == TensorType::kQ5_0) {
    unpack_nibbles(block_at<gguf::Q5_0>(row, index).codes, codes);
    add_fifth_bits(block_at<gguf::Q5_0>(row, index).high_bits, codes);
  } else if constexpr (kType == TensorType::kQ5_1) {
    unpack_nibbles(block_at<gguf::Q5_1>(row, index).codes, codes);
    add_fifth_bits(block_at<gguf::Q5_1>(row, index).high_bits, codes);
  } else if constexpr (kType == TensorType::kQ8_0) {
    std::memcpy(codes, block_at<gguf::Q8_0>(row, index).codes, 32);
  } else if constexpr (kType == TensorType::kQ2_K) {
    const auto& block = block_at<gguf::Q2_K>(row, index / 8);
    for (int i = 0; i < 32; ++i) codes[i] = (block.codes[32 * half + i] >> shift) & 3;
  } else if constexpr (kType == TensorType::kQ3_K) {
    const auto& block = block_at<gguf::Q3_K>(row, index / 8);
    for (int i = 0; i < 32; ++i) {
      const int low = (block.codes[32 * half + i] >> shift) & 3;
      codes[i] = static_cast<uint8_t>(low | ((block.high_bits[i] >> b) & 1) << 2);
    }
  } else if constexpr (kType == TensorType::kQ4_K || kType == TensorType::kQ5_K) {
    using Block = std::conditional_t<kType == TensorType::kQ4_K, gguf::Q4_K, gguf::Q5_K>;
    const auto& block = block_at<Block>(row, index / 8);
    const uint32_t nibble_shift = 4 * (b % 2);
    for (int i = 0; i < 32; ++i) codes[i] = (block.codes[32 * (b / 2) + i] >> nibble_shift) & 15;
    if constexpr (kType == TensorType::kQ5_K) {
      for (int i = 0; i < 32; ++i) {
        codes[i] = static_cast<uint8_t>(codes[i] | ((block.high_bits[i] >> b) & 1) << 4);
      }
    }
  } else {
    static_assert(kType == TensorType::kQ6_K);
    const auto& block = block_at<gguf::Q6_K>(row, index / 8);
    const uint8_t* low = block.low + 64 * half + 32 * (b % 2);
    const uint32_t nibble_shift = 4 * ((b % 4) / 2);
    for (int i = 0; i < 32; ++i) {
      const int high = (block.high[32 * half + i] >> shift) & 3;
      codes[i] = static_cast<uint8_t>(((low[i] >> nibble_shift) & 15) | high << 4);
    }
  }
}

template <TensorType kType>
BlockScales unpack_scales(const uint8_t* row, uint32_t index) {
  BlockScales out;
  const uint32_t b = index % 8;
  if constexpr (kType == TensorType::kQ4_0 || kType == TensorType::kIQ4_NL) {
    out.scale = load_scale(block_at<gguf::Q4_0>(row, index).scale);
  } else if constexpr (kType == TensorType::kQ5_0) {
    out.scale = load_scale(block_at<gguf::Q5_0>(row, index).scale);
  } else if constexpr (kType == TensorType::kQ8_0) {
    out.scale = load_scale(block_at<gguf::Q8_0>(row, index).scale);
  } else if constexpr (kType == TensorType::kQ4_1 || kType == TensorType::kQ5_1) {
    using Block = std::conditional_t<kType == TensorType::kQ4_1, gguf::Q4_1, gguf::Q5_1>;
    out.scale = load_scale(block_at<Block>(row, index).scale);
    out.minimum = load_scale(block_at<Block>(row, index).minimum);
  } else if constexpr (kType == TensorType::kQ2_K) {
    const auto& block = block_at<gguf::Q2_K>(row, index / 8);
    out.scale = load_scale(block.scale);
    out.minimum = load_scale(static_cast<uint16_t>(block.minimum ^ 0x8000u));  // subtracted
    for (int h = 0; h < 2; ++h) {
      out.group_scale[h] = block.scales[2 * b + h] & 15;
      out.group_minimum[h] = block.scales[2 * b + h] >> 4;
    }
  } else if constexpr (kType == TensorType::kQ3_K) {
    const auto& block = block_at<gguf::Q3_K>(row, index / 8);
    out.scale = load_scale(block.scale);
    for (uint32_t h = 0; h < 2; ++h) {
      out.group_scale[h] = static_cast<int16_t>(unpack_q3_scale(block.scales, 2 * b + h));
    }
  } else if constexpr (kType == TensorType::kQ4_K || kType == TensorType::kQ5_K) {
    using Block = std::conditional_t<kType == TensorType::kQ4_K, gguf::Q4_K, gguf::Q5_K>;
    const auto& block = block_at<Block>(row, index / 8);
    out.scale = load_scale(block.scale);
    out.minimum = load_scale(static_cast<uint16_t>(block.minimum ^ 0x8000u));  // subtracted
    unpack_k_scales(block.scales, b, out);
  } else {
    static_assert(kType == TensorType::kQ6_K);
    const auto& block = block_at<gguf::Q6_K>(row, index / 8);
    out.scale = load_scale(block.scale);
    for (int h = 0; h < 2; ++h) out.group_scale[h] = block.scales[2 * b + h];
  }
  return out;
}

// Calls f.template operator()<kType>() with the enumerator of a quantised type.
template <class F>
decltype(auto) with_quantised_type(TensorType type, F&& f) {
  switch (type) {
    case TensorType::kQ4_0:
      return f.template operator()<TensorType::kQ4_0>();
    case TensorType::kQ4_1:
      return f.template operator()<TensorType::kQ4_1>();
    case TensorType::kQ5_0:
      return f.template operator()<TensorType::kQ5_0>();
    case TensorType::kQ5_1:
      return f.template operator()<TensorType::kQ5_1>();
    case TensorType::kQ8_0:
      return f.template operator()<TensorType::kQ8_0>();
    case TensorType::kQ2_K:
      return f.template operator()<TensorType::kQ2_K>();
    case TensorType::kQ3_K:
      return f.template operator()<TensorType::kQ3_K>();
    case TensorType::kQ4_K:
      return f.template operator()<TensorType::kQ4_K>();
    case TensorType::kQ5_K:
      return f.template operator()<TensorType::kQ5_K>();
    case TensorType::kQ6_K:
      return f.template operator()<TensorType::kQ6_K>();
    default:
      return f.template operator()<TensorType::kIQ4_NL>();
  }
}

}  // namespace hb
