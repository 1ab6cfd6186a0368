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

namespace hb::test {
namespace {

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

// A tensor's data come from its own stream, so that adding a tensor changes no other.
struct Parts {
  GgufHeader header;
  std::vector<std::vector<uint8_t>> data;
  uint64_t seed;
  std::function<TensorType(const std::string&)> type_of;

  uint64_t next_seed() const { return seed * 1000003 + data.size(); }
  void matrix(const std::string& name, TensorType type, uint64_t row_elems, uint64_t rows) {
    if (type_of) type = type_of(name);
    header.add_tensor(name, type, {row_elems, rows});
    data.push_back(random_tensor(type, row_elems, rows, next_seed()));
  }
  void vector(const std::string& name, uint64_t size, float low, float high) {
    Random random(next_seed());
    header.add_tensor(name, TensorType::kF32, {size});
    data.push_back(random_floats(TensorType::kF32, low, high, size, &random));
  }
  void norm(const std::string& name, uint64_t size) { vector(name, size, 0.5f, 1.5f); }
};

void add_hyperparameters(const TinyModel& model, GgufHeader* header) {
  const auto set = [&](const char* key, auto value) {
    header->set(fmt::format("{}.{}", model.architecture, key), value);
  };
  header->set("general.architecture", model.architecture);
  header->set("general.name",
              fmt::format("tiny {} {}", model.architecture, tensor_type_name(model.matrix_type)));
  set("block_count", model.layers);
  set("context_length", model.context);
  set("embedding_length", model.hidden);
  set("feed_forward_length", model.ffn);
  set("attention.head_count", model.heads);
  set("attention.head_count_kv", model.kv_heads);
  set("attention.key_length", model.head_dim);
  set("attention.value_length", model.head_dim);
  set("attention.layer_norm_rms_epsilon", 1e-5f);
  set("rope.dimension_count", model.head_dim);
  set("rope.freq_base", 10000.0f);
  if (model.architecture == "minicpm") {
    set("embedding_scale", 12.0f);
    set("residual_scale", 0.25f);
    set("logit_scale", 2.0f);
  }
  if (model.architecture == "gemma3") {
    set("attention.sliding_window", model.sliding_window);
    set("attention.sliding_window_pattern", uint32_t{2});
  }
}

void add_layer(const TinyModel& model, uint32_t layer, Parts* parts) {
  const auto name = [layer](const char* suffix) { return fmt::format("blk.{}.{}", layer, suffix); };
  const uint64_t q_size = uint64_t{model.heads} * model.head_dim;
  const uint64_t kv_size = uint64_t{model.kv_heads} * model.head_dim;
  const bool gemma = model.architecture == "gemma3";
  parts->norm(name("attn_norm.weight"), model.hidden);
  parts->matrix(name("attn_q.weight"), model.matrix_type, model.hidden, q_size);
  parts->matrix(name("attn_k.weight"), model.matrix_type, model.hidden, kv_size);
  parts->matrix(name("attn_v.weight"), model.matrix_type, model.hidden, kv_size);
  if (model.architecture == "qwen2") {
    parts->vector(name("attn_q.bias"), q_size, -0.5f, 0.5f);
    parts->vector(name("attn_k.bias"), kv_size, -0.5f, 0.5f);
    parts->vector(name("attn_v.bias"), kv_size, -0.5f, 0.5f);
  }
  if (model.architecture == "qwen3" || gemma) {
    parts->norm(name("attn_q_norm.weight"), model.head_dim);
    parts->norm(name("attn_k_norm.weight"), model.head_dim);
  }
  parts->matrix(name("attn_output.weight"), model.matrix_type, q_size, model.hidden);
  if (gemma) parts->norm(name("post_attention_norm.weight"), model.hidden);
  parts->norm(name("ffn_norm.weight"), model.hidden);
  parts->matrix(name("ffn_gate.weight"), model.matrix_type, model.hidden, model.ffn);
  parts->matrix(name("ffn_up.weight"), model.matrix_type, model.hidden, model.ffn);
  parts->matrix(name("ffn_down.weight"), model.matrix_type, model.ffn, model.hidden);
  if (gemma) parts->norm(name("post_ffw_norm.weight"), model.hidden);
}

Parts make_parts(const TinyModel& model) {
  Parts parts{GgufHeader(), {}, model.seed, model.type_of};
  add_hyperparameters(model, &parts.header);
  if (model.architecture == "gemma3") {
    add_tiny_spm(&parts.header, model.vocab);
  } else {
    add_tiny_bpe(&parts.header, model.vocab);
  }
  if (model.more_metadata) model.more_metadata(parts.header);
  parts.matrix("token_embd.weight", model.embedding_type, model.hidden, model.vocab);
  for (uint32_t layer = 0; layer < model.layers; ++layer) add_layer(model, layer, &parts);
  parts.norm("output_norm.weight", model.hidden);
  if (!model.tied) parts.matrix("output.weight", model.embedding_type, model.hidden, model.vocab);
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
