#include "quant/weight_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/exact_math.h"
#include "support/test_data.h"

namespace hb {
namespace {

using testing::kFloatTypes;
using testing::kQuantisedTypes;
using testing::make_weights;
using testing::Random;
using testing::Weights;

// The same bytes as tools/golden/dequantise.py makes: random, with scales between 2^-7 and 2^-3.
std::vector<uint8_t> golden_bytes(TensorType type) {
  const TensorTypeInfo& info = tensor_type_info(type);
  Random random(static_cast<uint64_t>(type));
  std::vector<uint8_t> bytes((info.block_elems == 32 ? 64 : 16) * info.block_bytes);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> 56);
  for (size_t block = 0; block < bytes.size(); block += info.block_bytes) {
    for (const uint32_t offset : testing::scale_offsets(type)) {
      uint8_t& high = bytes[block + offset + 1];
      high = static_cast<uint8_t>((high & 0x8f) | 0x20);
    }
  }
  return bytes;
}

struct Golden {
  TensorType type;
  uint64_t hash;
};
// Printed by tools/golden/dequantise.py.
constexpr Golden kGolden[] = {
    {TensorType::kQ4_0, 6026431554327908227ull},  {TensorType::kQ4_1, 1970552704580712899ull},
    {TensorType::kQ5_0, 2360864515934066563ull},  {TensorType::kQ5_1, 9582408982936885667ull},
    {TensorType::kQ8_0, 2863245649262186243ull},  {TensorType::kIQ4_NL, 12679157147938098691ull},
    {TensorType::kQ2_K, 4670920736812053219ull},  {TensorType::kQ3_K, 7137685617978769155ull},
    {TensorType::kQ4_K, 9301032746878814271ull},  {TensorType::kQ5_K, 18007668221510575415ull},
    {TensorType::kQ6_K, 13923579603705369203ull},
};

TEST(WeightBlock, EveryFormatDecodesAsInTheGgufPackage) {
  ASSERT_EQ(std::size(kGolden), std::size(kQuantisedTypes));
  for (const Golden& golden : kGolden) {
    const std::vector<uint8_t> bytes = golden_bytes(golden.type);
    const TensorTypeInfo& info = tensor_type_info(golden.type);
    const auto blocks =
        static_cast<uint32_t>(bytes.size() / info.block_bytes * info.block_elems / kBlockElems);
    uint64_t hash = 1469598103934665603ull;
    for (uint32_t b = 0; b < blocks; ++b) {
      const WeightBlock block = decode_block(golden.type, bytes.data(), b);
      for (uint32_t i = 0; i < kBlockElems; ++i) {
        const float value = block_value(block, format_traits(golden.type).scales, i) + 0.0f;  // -0 to +0
        hash = (hash ^ exact::bits_of(value)) * 1099511628211ull;
      }
    }
    EXPECT_EQ(hash, golden.hash) << info.name;
  }
}

// The weight in double from the block's parts: every product of them is exact there.
double true_value(const WeightBlock& block, uint32_t i) {
  const double value = static_cast<double>(block.codes[i]) * block.group_scale[i / 16] * block.scale;
  return value + block.minimum[i / 16];
}

TEST(WeightBlock, ProductIsThatOfTheDequantisedValues) {
  for (const TensorType type : kQuantisedTypes) {
    Random random(7);
    const uint32_t blocks = 64;
    const ScaleKind kind = format_traits(type).scales;
    const std::vector<uint8_t> bytes = make_weights(random, type, 1, blocks * kBlockElems, Weights::kPlain);
    for (uint32_t b = 0; b < blocks; ++b) {
      const std::vector<float> values = make_activations(random, testing::Activations::kPlain, kBlockElems);
      const ActivationBlock activations = quantise_block(values.data());
      const WeightBlock weights = decode_block(type, bytes.data(), b);
      double sum = 0, magnitude = 0;
      for (uint32_t i = 0; i < kBlockElems; ++i) {
        const double term = true_value(weights, i) * activations.codes[i] * activations.scale;
        sum += term;
        magnitude += std::fabs(term);
      }
      // Rounded: two products, and with a minimum the products and sums of that.
      EXPECT_NEAR(block_product(weights, kind, activations), sum, magnitude * 0x1p-21)
          << tensor_type_name(type);
    }
  }
}

TEST(WeightBlock, IntegerSumsStayBelowTwoToThe24) {
  std::vector<uint8_t> row(210, 0);         // Q6_K: codes 0, that is -32
  std::memset(row.data() + 192, 0x80, 16);  // group scales -128
  row[208] = 0x00, row[209] = 0x3c;         // scale 1
  std::vector<float> values(kBlockElems, 1.0f);
  const ActivationBlock activations = quantise_block(values.data());
  const float product =
      block_product(decode_block(TensorType::kQ6_K, row.data(), 0), ScaleKind::kGrouped, activations);
  EXPECT_LT(127 * 32 * 32 * 128, 1 << 24);
  EXPECT_EQ(product, static_cast<float>(127 * 32 * 32 * 128) * activations.scale);
}

TEST(WeightBlock, CodesKeepWithinTheirTraits) {
  for (const TensorType type : kQuantisedTypes) {
    const FormatTraits& traits = format_traits(type);
    Random random(3);
    const std::vector<uint8_t> bytes = make_weights(random, type, 1, 8192, Weights::kEdges);
    int lowest = 127, highest = -128;
    for (uint32_t b = 0; b < 8192 / kBlockElems; ++b) {
      const WeightBlock block = decode_block(type, bytes.data(), b);
      for (const int8_t code : block.codes)
        lowest = std::min<int>(lowest, code), highest = std::max<int>(highest, code);
      EXPECT_TRUE(has_group_scales(traits.scales) || block.group_scale[0] * block.group_scale[1] == 1);
    }
    if (traits.codebook) {
      EXPECT_EQ(lowest, -127);
      EXPECT_EQ(highest, 113);
    } else if (type != TensorType::kQ8_0) {
      EXPECT_EQ(lowest, -traits.zero_point);
      EXPECT_LT(highest + traits.zero_point, 1 << traits.code_bits);
    }
  }
}

void set_scale(std::vector<uint8_t>& row, TensorType type, uint32_t block, uint32_t field, uint16_t bits) {
  const uint32_t offset = testing::scale_offsets(type)[field];
  std::memcpy(row.data() + block * tensor_type_info(type).block_bytes + offset, &bits, 2);
}

TEST(CheckRow, RefusesInfiniteAndNanScalesOfEveryFormat) {
  for (const TensorType type : kQuantisedTypes) {
    Random random(5);
    const std::vector<uint8_t> good = make_weights(random, type, 1, 1024, Weights::kEdges);
    EXPECT_TRUE(check_row(type, good.data(), 1024)) << tensor_type_name(type);
    for (uint32_t field = 0; field < testing::scale_offsets(type).size(); ++field) {
      for (const uint16_t bits : {0x7c00, 0xfc00, 0x7e00, 0xfc01}) {
        std::vector<uint8_t> bad = good;
        set_scale(bad, type, 3, field, bits);
        const Status status = check_row(type, bad.data(), 1024);
        ASSERT_FALSE(status) << tensor_type_name(type) << " field " << field;
        EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
        const std::string block = tensor_type_info(type).block_elems == 32 ? "block 3 " : "block 24 ";
        EXPECT_NE(status.error().message.find(block), std::string::npos) << status.error().message;
      }
    }
  }
}

TEST(CheckRow, RefusesFloatsThatAreNotFiniteOrTooLarge) {
  std::vector<float> row = {0, -0.0f, 0x1p40f, -0x1p40f, 0x1p-140f};
  const auto check = [&] { return check_row(TensorType::kF32, reinterpret_cast<uint8_t*>(row.data()), 5); };
  EXPECT_TRUE(check());
  for (const float bad : {0x1.000002p40f, -0x1p41f, INFINITY, -INFINITY, NAN}) {
    row[4] = bad;
    const Status status = check();
    ASSERT_FALSE(status) << bad;
    EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
    EXPECT_NE(status.error().message.find("element 4 "), std::string::npos);
  }
  const std::vector<uint16_t> infinite_half = {0x3c00, 0x7c00}, huge_bf16 = {0x3f80, 0x7f00};
  EXPECT_FALSE(check_row(TensorType::kF16, reinterpret_cast<const uint8_t*>(infinite_half.data()), 2));
  EXPECT_FALSE(check_row(TensorType::kBF16, reinterpret_cast<const uint8_t*>(huge_bf16.data()), 2));
}

TEST(LoadFloat, SmallValuesAndNegativeZeroBecomeZero) {
  const std::vector<float> row = {-0.0f,     0x1p-130f, 0x1.fffffep-52f, -0x1.fffffep-52f, 0x1p-51f,
                                  -0x1p-51f, -2.5f};
  const std::vector<float> expected = {0, 0, 0, 0, 0x1p-51f, -0x1p-51f, -2.5f};
  for (uint32_t i = 0; i < row.size(); ++i) {
    const float value = load_float(TensorType::kF32, reinterpret_cast<const uint8_t*>(row.data()), i);
    EXPECT_EQ(exact::bits_of(value), exact::bits_of(expected[i])) << i;
  }
  const std::vector<uint16_t> halves = {0x8000, 0x0001, 0xc100}, bf16s = {0x8000, 0x0001, 0xc020};
  const std::vector<float> from_half = {0, 0x1p-24f, -2.5f}, from_bf16 = {0, 0, -2.5f};
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(load_float(TensorType::kF16, reinterpret_cast<const uint8_t*>(halves.data()), i), from_half[i]);
    EXPECT_EQ(load_float(TensorType::kBF16, reinterpret_cast<const uint8_t*>(bf16s.data()), i), from_bf16[i]);
  }
}

TEST(WeightBlock, NegativeZeroScalesBecomeZero) {
  for (const TensorType type : kQuantisedTypes) {
    std::vector<uint8_t> row(row_bytes(type, 256), 0xff);
    for (uint32_t field = 0; field < testing::scale_offsets(type).size(); ++field) {
      for (uint32_t b = 0; b < row.size() / tensor_type_info(type).block_bytes; ++b)
        set_scale(row, type, b, field, 0x8000);
    }
    const WeightBlock block = decode_block(type, row.data(), 1);
    EXPECT_EQ(block.scale, 0.0f);
    EXPECT_EQ(block.minimum[0], 0.0f);
    EXPECT_EQ(block_value(block, format_traits(type).scales, 9), 0.0f);
  }
}

}  // namespace
}  // namespace hb
