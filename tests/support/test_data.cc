#include "support/test_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/exact_math.h"
#include "base/half.h"
#include "quant/gguf_blocks.h"
#include "quant/weight_block.h"

namespace hb::testing {
namespace {

template <class Block>
constexpr uint32_t kScaleOnly[] = {offsetof(Block, scale)};
template <class Block>
constexpr uint32_t kScaleAndMinimum[] = {offsetof(Block, scale), offsetof(Block, minimum)};

float power_of_two(Random& random, int low, int high) {
  const float mantissa = random.uniform(1.0f, 2.0f);
  const int exponent = low + static_cast<int>(random.below(static_cast<uint32_t>(high - low)));
  return std::ldexp(random.chance(50) ? mantissa : -mantissa, exponent);
}

float make_activation(Random& random, Activations kind, size_t index) {
  switch (kind) {
    case Activations::kPlain:
      return random.uniform(-1, 1) * (random.chance(5) ? 8.0f : 1.0f);
    case Activations::kSpread:
      return power_of_two(random, -44, 40);
    case Activations::kHuge:
      return random.chance(10) ? -0x1p40f : power_of_two(random, 20, 40);
    case Activations::kTiny: {
      constexpr float kNear[] = {0,         0x1p-44f,  -0x1p-44f, 0x1.000002p-44f, 0x1.fffffep-44f,
                                 -0x1p-43f, 0x1.8p-44f};
      return index / 32 % 3 == 2 ? 0.0f : random.pick(kNear);
    }
    case Activations::kSparse:
      return index / 32 % 2 == 1 || random.chance(90) ? 0.0f : random.uniform(-3, 3);
    case Activations::kTies: {
      const auto integer = static_cast<float>(random.below(252)) - 126.0f;
      return index % 32 == 5 ? 127.0f : integer + (integer < 0 ? -0.5f : 0.5f);
    }
  }
  return 0.0f;
}

uint16_t make_scale(Random& random, Weights kind) {
  constexpr uint16_t kEdges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff,
                                 0x0400, 0x7bff, 0xfbff, 0x3c00, 0x2a3d};
  if (kind == Weights::kEdges) return random.pick(kEdges);
  return f32_to_f16(random.uniform(-0x1p-6f, 0x1p-5f));
}

// The minimum field, over the scale field, that centres the weights of a format on 0.
float centring(TensorType type) {
  switch (type) {
    case TensorType::kQ4_1:
      return -7.5f;
    case TensorType::kQ5_1:
      return -15.5f;
    case TensorType::kQ2_K:
      return 1.5f;  // subtracted in the K formats, after a factor as large as the scale's
    case TensorType::kQ4_K:
      return 7.5f;
    case TensorType::kQ5_K:
      return 15.5f;
    default:
      return 0.0f;
  }
}

// The f16 fields of one block, as many as scale_offsets() has.
std::array<uint16_t, 2> make_scales(Random& random, TensorType type, Weights kind) {
  if (kind != Weights::kCentred) {
    const uint16_t scale = make_scale(random, kind);
    return {scale, make_scale(random, kind)};
  }
  const float scale = random.uniform(0x1p-8f, 0x1p-7f);
  return {f32_to_f16(scale), f32_to_f16(scale * centring(type))};
}

float make_float_weight(Random& random, Weights kind, TensorType type) {
  constexpr float kEdges[] = {0.0f,      -0.0f,    0x1p-51f, -0x1p-51f, 0x1.fffffep-52f, 0x1p-130f,
                              -0x1p-60f, 0x1p-24f, -1.0f,    65504.0f,  0x1.234568p3f};
  if (kind != Weights::kEdges) return random.uniform(-0.5f, 0.5f);
  if (type != TensorType::kF16 && random.chance(10)) return random.chance(50) ? 0x1p40f : -0x1p40f;
  return random.pick(kEdges);
}

void append_float(std::vector<uint8_t>& bytes, TensorType type, float value) {
  uint32_t bits = exact::bits_of(value);
  if (type == TensorType::kF16) bits = f32_to_f16(value);
  if (type == TensorType::kBF16) bits >>= 16;
  for (uint32_t i = 0; i < tensor_type_info(type).block_bytes; ++i)
    bytes.push_back(static_cast<uint8_t>(bits >> 8 * i));
}

}  // namespace

uint64_t Random::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float Random::uniform(float low, float high) {
  const float unit = static_cast<float>(next() >> 40) * 0x1p-24f;
  return low + unit * (high - low);
}

std::vector<float> make_activations(Random& random, Activations kind, size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = exact::settle(make_activation(random, kind, i));
  return values;
}

std::vector<uint8_t> make_weights(Random& random, TensorType type, uint32_t rows, uint32_t cols,
                                  Weights kind) {
  const size_t elements = size_t{rows} * cols;
  std::vector<uint8_t> bytes;
  if (!is_quantised(type)) {
    for (size_t i = 0; i < elements; ++i) append_float(bytes, type, make_float_weight(random, kind, type));
    return bytes;
  }
  bytes.resize(rows * row_bytes(type, cols));
  std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(random.next() >> 56); });
  const uint32_t block_bytes = tensor_type_info(type).block_bytes;
  for (size_t block = 0; block < bytes.size(); block += block_bytes) {
    const std::array<uint16_t, 2> scales = make_scales(random, type, kind);
    size_t field = 0;
    for (const uint32_t offset : scale_offsets(type))
      std::memcpy(bytes.data() + block + offset, &scales[field++], 2);
  }
  return bytes;
}

std::vector<uint16_t> make_halves(Random& random, size_t count) {
  std::vector<uint16_t> halves(count);
  for (uint16_t& half : halves) {
    const auto any = static_cast<uint16_t>(random.next() >> 48);
    const bool finite = (any & 0x7c00) != 0x7c00;
    half = finite && random.below(8) == 0 ? any : f32_to_f16(random.uniform(-2, 2));
  }
  return halves;
}

std::span<const uint32_t> scale_offsets(TensorType type) {
  switch (type) {
    case TensorType::kQ4_1:
      return kScaleAndMinimum<gguf::Q4_1>;
    case TensorType::kQ5_1:
      return kScaleAndMinimum<gguf::Q5_1>;
    case TensorType::kQ2_K:
      return kScaleAndMinimum<gguf::Q2_K>;
    case TensorType::kQ4_K:
      return kScaleAndMinimum<gguf::Q4_K>;
    case TensorType::kQ5_K:
      return kScaleAndMinimum<gguf::Q5_K>;
    case TensorType::kQ3_K:
      return kScaleOnly<gguf::Q3_K>;
    case TensorType::kQ6_K:
      return kScaleOnly<gguf::Q6_K>;
    default:
      return kScaleOnly<gguf::Q4_0>;  // the first field of every other format
  }
}

}  // namespace hb::testing
