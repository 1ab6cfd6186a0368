// The packed weights, read back as the comment of weight_layout.h describes them, bit by bit.
#include "backend/vulkan/weight_layout.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "base/half.h"
#include "quant/unpack.h"
#include "quant/weight_block.h"
#include "support/test_data.h"

namespace hb::vulkan {
namespace {

using testing::Random;

constexpr uint32_t kRows = 6, kCols = 1536;  // a partial group; 48 blocks: three steps

struct Packed {
  WeightLayout layout;
  std::vector<uint8_t> sections[kSections];

  uint32_t word(uint32_t section, size_t index) const {
    uint32_t value;
    std::memcpy(&value, sections[section].data() + 4 * index, 4);
    return value;
  }
};

Packed pack_all(const PlanWeight& weight) {
  Packed packed = {weight_layout(weight.type, weight.rows, weight.cols), {}};
  for (uint32_t s = 0; s < kSections; ++s)
    packed.sections[s].resize(size_t{packed.layout.groups} * packed.layout.group_bytes[s]);
  for (uint32_t g = 0; g < packed.layout.groups; ++g) {
    std::span<uint8_t> out[kSections];
    for (uint32_t s = 0; s < kSections; ++s) {
      const uint32_t size = packed.layout.group_bytes[s];
      out[s] = std::span(packed.sections[s]).subspan(size_t{g} * size, size);
    }
    pack_group(weight, g, 0, out);
  }
  return packed;
}

// Where a column of a row lies.
struct At {
  uint32_t group, row, i, lane, half, component, byte, word;
};
At locate(uint32_t row, uint32_t col) {
  const uint32_t block = col / 32, k = col % 32;
  return {row / 4, row % 4, block / 16, block % 16, k / 16, k % 16 / 4, k % 4, k / 4};
}

size_t vector_at(const Packed& p, const At& at, uint32_t width, uint32_t j) {
  return ((size_t{at.group} * p.layout.steps + at.i) * width + j) * 16 + at.lane;
}

uint32_t two_bits(const Packed& p, uint32_t section, const At& at) {
  return p.word(section, 4 * vector_at(p, at, 2, at.half) + at.row) >> (8 * at.byte + 2 * at.component) & 3u;
}

uint32_t packed_code(const Packed& p, uint32_t bits, const At& at) {
  if (bits == 8)
    return p.word(0, 4 * vector_at(p, at, 8, 2 * at.row + at.half) + at.component) >> (8 * at.byte) & 255u;
  if (bits < 4) {
    const uint32_t high =
        bits == 3 ? p.word(1, 4 * vector_at(p, at, 1, 0) + at.row) >> (8 * at.byte + at.word) & 1u : 0u;
    return two_bits(p, 0, at) | high << 2;
  }
  const uint32_t pair = at.row % 2, shift = 8 * at.byte + 4 * (at.row / 2);
  const uint32_t low = p.word(0, 4 * vector_at(p, at, 4, 2 * pair + at.half) + at.component) >> shift & 15u;
  if (bits == 5)
    return low | (p.word(1, 4 * vector_at(p, at, 1, 0) + at.row) >> (8 * at.byte + at.word) & 1u) << 4;
  if (bits == 6) return low | two_bits(p, 1, at) << 4;
  return low;
}

PlanWeight make_weight(TensorType type, const std::vector<uint8_t>& bytes) {
  return {"w", type, kRows, kCols, bytes};
}

class QuantisedLayout : public ::testing::TestWithParam<FormatTraits> {};

TEST_P(QuantisedLayout, HoldsEveryCode) {
  const FormatTraits traits = GetParam();
  Random random(7);
  const auto bytes = testing::make_weights(random, traits.type, kRows, kCols, testing::Weights::kPlain);
  const PlanWeight weight = make_weight(traits.type, bytes);
  const Packed packed = pack_all(weight);
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t block = 0; block < kCols / 32; ++block) {
      uint8_t codes[32];
      with_quantised_type(traits.type, [&]<TensorType kType>() {
        unpack_codes<kType>(bytes.data() + row * row_bytes(traits.type, kCols), block, codes);
      });
      for (uint32_t k = 0; k < 32; ++k)
        ASSERT_EQ(packed_code(packed, traits.code_bits, locate(row, 32 * block + k)), codes[k])
            << "row " << row << " block " << block << " column " << k;
    }
  }
}

TEST_P(QuantisedLayout, HoldsEveryScale) {
  const FormatTraits traits = GetParam();
  Random random(8);
  const auto bytes = testing::make_weights(random, traits.type, kRows, kCols, testing::Weights::kPlain);
  const Packed p = pack_all(make_weight(traits.type, bytes));
  const auto half = [&](uint32_t section, size_t word, uint32_t r) {
    return f16_to_f32(static_cast<uint16_t>(p.word(section, word + r / 2) >> (16 * (r % 2))));
  };
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t block = 0; block < kCols / 32; ++block) {
      BlockScales expected;
      with_quantised_type(traits.type, [&]<TensorType kType>() {
        expected = unpack_scales<kType>(bytes.data() + row * row_bytes(traits.type, kCols), block);
      });
      const At at = locate(row, 32 * block);
      const size_t slot = 2 * vector_at(p, at, 1, 0);
      const size_t super = 4 * (size_t{at.group} * 2 * p.layout.steps + block / 8);
      const auto byte = [&](uint32_t word) { return p.word(2, slot + word) >> (8 * at.row) & 255u; };
      switch (traits.scales) {
        case ScaleKind::kAffine:
          ASSERT_EQ(half(3, slot, at.row), expected.minimum);
          [[fallthrough]];
        case ScaleKind::kPlain:
          ASSERT_EQ(half(2, slot, at.row), expected.scale);
          continue;
        case ScaleKind::kSuperAffine:
          ASSERT_EQ(byte(0), static_cast<uint32_t>(expected.group_scale[0]));
          ASSERT_EQ(byte(1), static_cast<uint32_t>(expected.group_minimum[0]));
          break;
        case ScaleKind::kGrouped:
          ASSERT_EQ(static_cast<int8_t>(byte(0)), expected.group_scale[0]);
          ASSERT_EQ(static_cast<int8_t>(byte(1)), expected.group_scale[1]);
          break;
        case ScaleKind::kGroupedAffine:
          for (uint32_t h = 0; h < 2; ++h) {
            ASSERT_EQ(byte(h) & 15u, static_cast<uint32_t>(expected.group_scale[h]));
            ASSERT_EQ(byte(h) >> 4, static_cast<uint32_t>(expected.group_minimum[h]));
          }
          break;
      }
      ASSERT_EQ(half(3, super, at.row), expected.scale);
      if (has_minimum(traits.scales)) {
        ASSERT_EQ(half(3, super + 2, at.row), expected.minimum);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, QuantisedLayout, ::testing::ValuesIn(kFormatTraits),
                         [](const auto& info) { return tensor_type_name(info.param.type); });

TEST(FloatLayout, HoldsFourRowsOfAColumnTogether) {
  Random random(9);
  for (const TensorType type : {TensorType::kF32, TensorType::kF16, TensorType::kBF16}) {
    const auto bytes = testing::make_weights(random, type, kRows, 40, testing::Weights::kPlain);
    const PlanWeight weight = {"w", type, kRows, 40, bytes};
    const Packed packed = pack_all(weight);
    const size_t element = type == TensorType::kF32 ? 4 : 2;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t col = 0; col < 40; ++col) {
        const uint8_t* at =
            packed.sections[0].data() + ((size_t{row / 4} * 48 + col) * 4 + row % 4) * element;
        ASSERT_EQ(load_float(type, at, 0), load_float(type, bytes.data() + row * 40 * element, col));
      }
    }
  }
}

}  // namespace
}  // namespace hb::vulkan
