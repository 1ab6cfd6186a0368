#include "model/tiny_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "model/gguf_writer.h"
#include "model/tiny_tokenizer.h"
#include "support/model_layout.h"

namespace hb::test {
namespace {

using testing::LayoutTensor;
using testing::ModelShape;
using Kind = LayoutTensor::Kind;

// splitmix64: a counter, mixed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [low, high).
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(bits() >> 40) * 0x1p-24f);
  }

 private:
  uint64_t state_;
};

// Where the fp16 scales lie in a block, and the usual magnitude of a weight whose scale is 1.
struct ScaleLayout {
  TensorType type;
  int scale_offset;
  int minimum_offset;  // -1: none
  float magnitude;
};

constexpr std::array kScaleLayouts = {
    ScaleLayout{TensorType::kQ4_0, 0, -1, 4.6f},      ScaleLayout{TensorType::kQ4_1, 0, 2, 8.0f},
    ScaleLayout{TensorType::kQ5_0, 0, -1, 9.2f},      ScaleLayout{TensorType::kQ5_1, 0, 2, 16.0f},
    ScaleLayout{TensorType::kQ8_0, 0, -1, 74.0f},     ScaleLayout{TensorType::kIQ4_NL, 0, -1, 66.0f},
    ScaleLayout{TensorType::kQ2_K, 80, 82, 16.0f},    ScaleLayout{TensorType::kQ3_K, 108, -1, 42.0f},
    ScaleLayout{TensorType::kQ4_K, 0, 2, 300.0f},     ScaleLayout{TensorType::kQ5_K, 0, 2, 600.0f},
    ScaleLayout{TensorType::kQ6_K, 208, -1, 1350.0f},
};

// An fp16 of random sign and mantissa within a factor of two of `magnitude` and normal; now and then a zero.
uint16_t random_half(float magnitude, Random* random) {
  constexpr int kLeastExponent = -13;
  const uint64_t bits = random->bits();
  const auto sign = static_cast<uint16_t>((bits & 1) << 15);
  if ((bits >> 1) % 64 == 0) return sign;
  const int exponent = std::clamp(std::ilogb(magnitude), kLeastExponent, 15);
  return static_cast<uint16_t>(sign | (exponent + 15) << 10 | (bits >> 54));
}

void put_half(uint16_t half, uint8_t* out) { std::memcpy(out, &half, sizeof half); }

std::vector<uint8_t> random_blocks(const ScaleLayout& layout, uint64_t row_elems, uint64_t rows,
                                   Random* random) {
  const TensorTypeInfo& info = tensor_type_info(layout.type);
  const float scale = 1.0f / (layout.magnitude * std::sqrt(static_cast<float>(row_elems)));
  std::vector<uint8_t> bytes(row_elems / info.block_elems * rows * info.block_bytes);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random->bits() >> 56);
  for (size_t block = 0; block < bytes.size(); block += info.block_bytes) {
    put_half(random_half(scale, random), &bytes[block + layout.scale_offset]);
    if (layout.minimum_offset >= 0)
      put_half(random_half(scale, random), &bytes[block + layout.minimum_offset]);
  }
  return bytes;
}

std::vector<uint8_t> random_floats(TensorType type, float low, float high, uint64_t count, Random* random) {
  const uint32_t size = tensor_type_info(type).block_bytes;
  std::vector<uint8_t> bytes(count * size);
  for (uint64_t i = 0; i < count; ++i) {
    const float value = random->uniform(low, high);
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (type == TensorType::kF16) {
      put_half(random_half(high / 2, random), &bytes[i * size]);
    } else {  // BF16 is the upper half of F32.
      std::memcpy(&bytes[i * size], reinterpret_cast<const uint8_t*>(&bits) + (sizeof bits - size), size);
    }
  }
  return bytes;
}

ModelShape shape_of(const TinyModel& model) {
  return {.architecture = model.architecture,
          .hidden = model.hidden,
          .ffn = model.ffn,
          .layers = model.layers,
          .heads = model.heads,
          .kv_heads = model.kv_heads,
          .head_dim = model.head_dim,
          .vocab = model.vocab,
          .context = model.context,
          .rope_base = 10000.0f,
          .tied = model.tied};
}

void add_hyperparameters(const TinyModel& model, GgufHeader* header) {
  header->set("general.name",
              fmt::format("tiny {} {}", model.architecture, tensor_type_name(model.matrix_type)));
  testing::set_sizes(shape_of(model), *header);
  if (model.architecture == "minicpm") {
    header->set("minicpm.embedding_scale", 12.0f);
    header->set("minicpm.residual_scale", 0.25f);
    header->set("minicpm.logit_scale", 2.0f);
  }
  if (model.architecture == "gemma3") {
    header->set("gemma3.attention.sliding_window", model.sliding_window);
    header->set("gemma3.attention.sliding_window_pattern", uint32_t{2});
  }
}

TensorType type_of(const TinyModel& model, const LayoutTensor& tensor) {
  if (tensor.kind == Kind::kNorm || tensor.kind == Kind::kBias) return TensorType::kF32;
  if (model.type_of) return model.type_of(tensor.name);
  return tensor.kind == Kind::kMatrix ? model.matrix_type : model.embedding_type;
}

std::vector<uint8_t> data_of(const LayoutTensor& tensor, TensorType type, uint64_t seed) {
  Random random(seed);
  if (tensor.kind == Kind::kNorm) return random_floats(type, 0.5f, 1.5f, tensor.dims[0], &random);
  if (tensor.kind == Kind::kBias) return random_floats(type, -0.5f, 0.5f, tensor.dims[0], &random);
  return random_tensor(type, tensor.dims[0], tensor.dims[1], seed);
}

struct Parts {
  GgufHeader header;
  std::vector<std::vector<uint8_t>> data;  // of each tensor
};

Parts make_parts(const TinyModel& model) {
  Parts parts;
  add_hyperparameters(model, &parts.header);
  if (model.architecture == "gemma3") {
    add_tiny_spm(&parts.header, model.vocab);
  } else {
    add_tiny_bpe(&parts.header, model.vocab);
  }
  if (model.more_metadata) model.more_metadata(parts.header);
  for (const LayoutTensor& tensor : testing::model_tensors(shape_of(model))) {
    const TensorType type = type_of(model, tensor);
    parts.header.add_tensor(tensor.name, type, tensor.dims);
    // A seed of its own, so that the data does not depend on the tensors before it.
    parts.data.push_back(data_of(tensor, type, model.seed * 1000003 + parts.data.size()));
  }
  return parts;
}

}  // namespace

TinyModel tiny_model_for(const std::string& architecture, TensorType matrix_type) {
  TinyModel model;
  model.architecture = architecture;
  model.matrix_type = matrix_type;
  if (tensor_type_info(matrix_type).block_elems == 256) {
    model.hidden = 256;
    model.ffn = 512;
    model.head_dim = 64;
  }
  return model;
}

std::vector<uint8_t> random_tensor(TensorType type, uint64_t row_elems, uint64_t rows, uint64_t seed) {
  Random random(seed);
  for (const ScaleLayout& layout : kScaleLayouts) {
    if (layout.type == type) return random_blocks(layout, row_elems, rows, &random);
  }
  const float limit = std::sqrt(3.0f / static_cast<float>(row_elems));
  return random_floats(type, -limit, limit, row_elems * rows, &random);
}

std::vector<uint8_t> gguf_file_bytes(const GgufHeader& header,
                                     const std::vector<std::vector<uint8_t>>& data) {
  HB_CHECK_EQ(data.size(), header.tensors().size());
  std::vector<uint8_t> file = header.bytes();
  const size_t data_start = file.size();
  for (size_t i = 0; i < data.size(); ++i) {
    HB_CHECK_EQ(data[i].size(), header.tensors()[i].size_bytes);
    file.resize(data_start + header.tensors()[i].data_offset);
    file.insert(file.end(), data[i].begin(), data[i].end());
  }
  return file;
}

std::vector<uint8_t> make_tiny_model(const TinyModel& model) {
  const Parts parts = make_parts(model);
  return gguf_file_bytes(parts.header, parts.data);
}

Status write_tiny_model(const std::string& path, const TinyModel& model) {
  Parts parts = make_parts(model);
  HB_ASSIGN(const auto writer, GgufWriter::create(path, std::move(parts.header)));
  for (const auto& data : parts.data) HB_TRY(writer->write(data));
  return writer->finish();
}

}  // namespace hb::test
