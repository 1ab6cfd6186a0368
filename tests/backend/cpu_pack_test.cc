// The CPU backend's packed forms hold what went in: weight tiles, cache rows, activation panels; and its
// kernel tables are complete.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <set>

#include "backend/cpu/activations.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/kv_cache.h"
#include "backend/cpu/lane_order.h"
#include "backend/cpu/pack.h"
#include "backend/cpu/tile_layout.h"
#include "quant/weight_block.h"
#include "support/test_data.h"

namespace hb::testing {
namespace {

using cpu::kTileRows;

std::vector<TensorType> all_types() {
  std::vector<TensorType> types(std::begin(kQuantisedTypes), std::end(kQuantisedTypes));
  types.insert(types.end(), std::begin(kFloatTypes), std::end(kFloatTypes));
  return types;
}

// Row `row` of GGUF's bytes in the contract's arithmetic.
std::vector<float> decoded_row(const PlanWeight& weight, uint32_t row) {
  const uint8_t* bytes = weight.bytes.data() + row * row_bytes(weight.type, weight.cols);
  std::vector<float> values(weight.cols);
  for (uint32_t i = 0; i < weight.cols; ++i) {
    values[i] = is_quantised(weight.type) ? block_value(decode_block(weight.type, bytes, i / 32),
                                                        format_traits(weight.type).scales, i % 32)
                                          : load_float(weight.type, bytes, i);
  }
  return values;
}

PlanWeight make_weight(TensorType type, uint32_t rows, uint32_t cols, std::span<const uint8_t> bytes) {
  PlanWeight weight;
  weight.name = "w";
  weight.type = type;
  weight.rows = rows;
  weight.cols = cols;
  weight.bytes = bytes;
  return weight;
}

class PackedType : public ::testing::TestWithParam<TensorType> {};

TEST_P(PackedType, RowsComeBackFromTheirTiles) {
  const TensorType type = GetParam();
  const uint32_t block = tensor_type_info(type).block_elems;
  Random random(static_cast<uint64_t>(type) + 1);
  for (const uint32_t rows : {1u, 31u, 32u, 33u, 70u}) {
    for (const uint32_t cols : {block * 1, block * 3, block * 17}) {
      const auto bytes =
          make_weights(random, type, rows, cols, rows == 33 ? Weights::kEdges : Weights::kPlain);
      const PlanWeight weight = make_weight(type, rows, cols, bytes);
      const size_t tile_bytes = cpu::tile_bytes(type, cols);
      std::vector<uint8_t> tiles(cpu::tile_count(rows) * tile_bytes, 0xee);
      for (uint32_t t = 0; t < cpu::tile_count(rows); ++t) {
        ASSERT_TRUE(cpu::pack_tile(weight, t, tiles.data() + t * tile_bytes));
      }
      for (uint32_t row = 0; row < rows; ++row) {
        std::vector<float> values(cols, -1.0f);
        cpu::unpack_row(type, tiles.data(), cols, row, values.data());
        ASSERT_EQ(values, decoded_row(weight, row)) << rows << "x" << cols << ", row " << row;
      }
    }
  }
}

// The rows that the last tile has beyond the matrix are zero bytes, so that a kernel may multiply them.
TEST_P(PackedType, RowsBeyondTheMatrixDoNotDependOnWhatWasThere) {
  const TensorType type = GetParam();
  const uint32_t cols = 2 * tensor_type_info(type).block_elems;
  Random random(3);
  const auto bytes = make_weights(random, type, 5, cols, Weights::kPlain);
  const PlanWeight weight = make_weight(type, 5, cols, bytes);
  std::vector<uint8_t> a(cpu::tile_bytes(type, cols), 0x00), b(a.size(), 0xff);
  ASSERT_TRUE(cpu::pack_tile(weight, 0, a.data()));
  ASSERT_TRUE(cpu::pack_tile(weight, 0, b.data()));
  EXPECT_EQ(a, b);
}

INSTANTIATE_TEST_SUITE_P(Cpu, PackedType, ::testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(tensor_type_name(info.param)); });

TEST(LaneOrder, VisitsEveryItemOnceAndMeetsPartnersInTheTreesOrder) {
  for (const uint32_t count : {0u, 1u, 15u, 16u, 17u, 100u}) {
    std::vector<uint32_t> items;
    cpu::for_each_in_lane_order(count, [&](uint32_t item, uint32_t position) {
      EXPECT_EQ(position, items.size());
      if (!items.empty() && items.back() % 16 == item % 16) {
        EXPECT_EQ(item, items.back() + 16);
      }
      items.push_back(item);
    });
    EXPECT_EQ(items.size(), count);
    EXPECT_EQ(std::set<uint32_t>(items.begin(), items.end()).size(), count);
  }
  // Joined on a stack as lane_order.h says, strings spell the tree: l with l + 8, then + 4, + 2, + 1.
  std::vector<std::string> stack;
  for (uint32_t visit = 0; visit < 16; ++visit) {
    stack.push_back(std::to_string(cpu::kLaneOrder[visit]));
    for (uint32_t rest = visit; rest & 1; rest >>= 1) {
      const std::string right = stack.back();
      stack.pop_back();
      stack.back() = "(" + stack.back() + "+" + right + ")";
    }
  }
  std::vector<std::string> tree(16);
  for (uint32_t lane = 0; lane < 16; ++lane) tree[lane] = std::to_string(lane);
  for (const uint32_t distance : {8u, 4u, 2u, 1u}) {
    for (uint32_t lane = 0; lane < distance; ++lane)
      tree[lane] = "(" + tree[lane] + "+" + tree[lane + distance] + ")";
  }
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_EQ(stack[0], tree[0]);
}

TEST(KvCache, CanonicalRowsComeBackAndLieWhereTheKernelsRead) {
  const std::vector<CacheLayer> layers = {{.kv_heads = 2, .head_dim = 24}, {.kv_heads = 3, .head_dim = 16}};
  auto cache = cpu::KvCache::create(layers, 37);
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->row_elems(), 2u * (2 * 24 + 3 * 16));
  std::vector<uint16_t> rows(20 * cache->row_elems());
  std::iota(rows.begin(), rows.end(), uint16_t{1});
  cache->write_rows(15, 20, rows.data());
  EXPECT_EQ(cache->read_rows(15, 20), rows);
  const auto part = cache->read_rows(18, 2);  // keys, then values, layer by layer
  const size_t width = 48;
  EXPECT_TRUE(std::equal(part.begin(), part.begin() + 2 * width, rows.begin() + 3 * width));
  EXPECT_TRUE(
      std::equal(part.begin() + 2 * width, part.begin() + 4 * width, rows.begin() + (20 + 3) * width));
  // Position 18, head 1 of layer 0, element 5.
  // lane order is 0 16 | 8 | 4 20 | 12 | 2 18 | 10 | 6 22 | 14 | 1 17 | 9 | 5 …: place 15 of the keys; lane 1
  // of the span is visited as the ninth.
  EXPECT_EQ(cache->keys(0, 1)[16 * 24 + 16 * 15 + 2], rows[3 * width + 24 + 5]);
  EXPECT_EQ(cache->values(0, 1)[(8 * 16 + 2) * 32 + 5], rows[(20 + 3) * width + 24 + 5]);
  EXPECT_EQ(cache->read_rows(0, 15), std::vector<uint16_t>(15 * cache->row_elems(), 0));
}

TEST(Activation, PanelsDivideTheRows) {
  cpu::Activation quantised({.name = "q", .kind = PlanBuffer::Kind::kQ8, .width = 64});
  cpu::Activation floats({.name = "f", .kind = PlanBuffer::Kind::kF32, .width = 64});
  for (const uint32_t rows : {1u, 7u, 8u, 9u, 21u, 16u}) {
    ASSERT_TRUE(quantised.set_rows(rows));
    ASSERT_TRUE(floats.set_rows(rows));
    uint32_t sum = 0;
    for (uint32_t p = 0; p < quantised.panel_count(); ++p) {
      const cpu::QuantisedPanel panel = quantised.quantised_panel(p);
      EXPECT_EQ(panel.codes, quantised.quantised_panel(0).codes + size_t{p} * 8 * 64);
      EXPECT_EQ(panel.meta, quantised.quantised_panel(0).meta + size_t{p} * 8 * 2);
      EXPECT_EQ(floats.float_panel(p).values, floats.row(8 * p));
      EXPECT_EQ(floats.float_panel(p).width, panel.width);
      EXPECT_LE(panel.width, cpu::kMaxPanel);
      sum += panel.width;
    }
    EXPECT_EQ(sum, rows);
  }
}

TEST(KernelTable, EveryTypeHasAKernelWithItsOwnNameInEveryTable) {
  std::set<std::string> names;
  const auto tables = cpu::usable_kernel_tables(detect_cpu_isa());
  ASSERT_FALSE(tables.empty());
  for (const cpu::KernelTable* table : tables) {
    for (const TensorType type : kQuantisedTypes) EXPECT_NE(cpu::tile_kernel(*table, type), nullptr);
    for (const TensorType type : kFloatTypes) EXPECT_NE(cpu::float_tile_kernel(*table, type), nullptr);
    for (const TensorType type : all_types()) {
      const std::string name = cpu::tile_kernel_name(*table, type);
      EXPECT_TRUE(name.starts_with("tile_")) << name;
      EXPECT_TRUE(name.ends_with(std::string("_") + table->isa)) << name;
      EXPECT_TRUE(names.insert(name).second) << name;
    }
  }
  EXPECT_EQ(cpu::tile_kernel_name(*tables.front(), TensorType::kQ4_K),
            std::string("tile_q4_k_") + tables.front()->isa);
}

}  // namespace
}  // namespace hb::testing
