#include "synthetic_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "base/half.h"
#include "model/gguf_writer.h"
#include "quant/format_traits.h"
#include "quant/weight_block.h"
#include "support/model_layout.h"
#include "support/test_data.h"

namespace hb::bench {
namespace {

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTokenTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr int32_t kUnusedToken = 5;
constexpr uint32_t kRowsAtOnce = 64;
constexpr uint32_t kSampleRows = 16;

Status check_sizes(const SyntheticModel& model) {
  for (const TensorType type : {model.matrices, model.embedding, model.output}) {
    const TensorTypeInfo& info = tensor_type_info(type);
    if (!is_quantised(type)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} is no quantised type", info.name));
    }
    for (const uint32_t cols : {model.hidden, model.ffn}) {
      if (cols != 0 && cols % info.block_elems == 0) continue;
      return fail(ErrorCode::kInvalidArgument, fmt::format("rows of {} do not fit {}: a multiple of {} does",
                                                           cols, info.name, info.block_elems));
    }
  }
  const bool heads_fit = model.heads != 0 && model.kv_heads != 0 && model.hidden % (2 * model.heads) == 0 &&
                         model.heads % model.kv_heads == 0;
  if (heads_fit && model.vocab != 0 && model.layers != 0) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{} layers, {} tokens, {} heads of {} with {} for keys and values do not make a model",
                  model.layers, model.vocab, model.heads, model.hidden, model.kv_heads));
}

// Merges whose result is still a token.
std::vector<std::string> kept_merges(const std::vector<std::string_view>& merges,
                                     const std::set<std::string>& tokens) {
  std::vector<std::string> kept;
  for (const std::string_view merge : merges) {
    std::string joined(merge);
    if (const size_t space = joined.find(' ', 1); space != std::string::npos) joined.erase(space, 1);
    if (tokens.contains(joined)) kept.emplace_back(merge);
  }
  return kept;
}

Status add_vocabulary(const GgufFile& from, uint32_t vocab, GgufHeader& header) {
  const GgufValue *tokens = from.find(kTokens), *types = from.find(kTokenTypes), *merges = from.find(kMerges);
  const auto texts = tokens ? tokens->as_strings() : std::nullopt;
  const auto kinds = types ? types->as_integers() : std::nullopt;
  const auto pairs = merges ? merges->as_strings() : std::nullopt;
  if (!texts || !kinds || !pairs || texts->size() != kinds->size()) {
    return fail(ErrorCode::kBadFile, fmt::format("{}: no BPE vocabulary: '{}', '{}' and '{}' are needed",
                                                 from.path(), kTokens, kTokenTypes, kMerges));
  }
  std::vector<std::string> out_texts(texts->begin(), texts->begin() + std::min<size_t>(vocab, texts->size()));
  std::vector<int32_t> out_kinds(kinds->begin(), kinds->begin() + out_texts.size());
  while (out_texts.size() < vocab) out_texts.push_back(fmt::format("<|unused {}|>", out_texts.size()));
  out_kinds.resize(vocab, kUnusedToken);
  header.set_strings(kTokens, out_texts);
  header.set_array<int32_t>(kTokenTypes, out_kinds);
  header.set_strings(kMerges, kept_merges(*pairs, {out_texts.begin(), out_texts.end()}));
  for (const auto& [key, value] : from.metadata()) {
    if (key == kTokens || key == kTokenTypes || key == kMerges) continue;
    if (key.starts_with("tokenizer.")) header.set(key, value);
  }
  return {};
}

testing::ModelShape shape_of(const SyntheticModel& model) {
  return {.architecture = "llama",
          .hidden = model.hidden,
          .ffn = model.ffn,
          .layers = model.layers,
          .heads = model.heads,
          .kv_heads = model.kv_heads,
          .head_dim = model.hidden / model.heads,
          .vocab = model.vocab,
          .context = model.context,
          .rope_base = 100000.0f,
          .tied = false};
}

void add_hyperparameters(const SyntheticModel& model, GgufHeader& header) {
  header.set("general.name", fmt::format("synthetic {} x {}", model.layers, model.hidden));
  testing::set_sizes(shape_of(model), header);
  header.set("llama.vocab_size", model.vocab);
}

TensorType type_of(const SyntheticModel& model, const testing::LayoutTensor& tensor) {
  using Kind = testing::LayoutTensor::Kind;
  if (tensor.kind == Kind::kEmbedding) return model.embedding;
  if (tensor.kind == Kind::kOutput) return model.output;
  return tensor.kind == Kind::kMatrix ? model.matrices : TensorType::kF32;
}

double standard_deviation(TensorType type, uint32_t cols, const std::vector<uint8_t>& rows) {
  const ScaleKind kind = format_traits(type).scales;
  const uint64_t row = row_bytes(type, cols);
  double sum = 0, squares = 0, count = 0;
  for (size_t begin = 0; begin < rows.size(); begin += row) {
    for (uint32_t b = 0; b < cols / kBlockElems; ++b) {
      const WeightBlock block = decode_block(type, rows.data() + begin, b);
      for (uint32_t i = 0; i < kBlockElems; ++i) {
        const double value = block_value(block, kind, i);
        sum += value;
        squares += value * value;
        count += 1;
      }
    }
  }
  return std::sqrt(squares / count - sum / count * (sum / count));
}

void scale_weights(TensorType type, float factor, std::vector<uint8_t>& rows) {
  for (size_t block = 0; block < rows.size(); block += tensor_type_info(type).block_bytes) {
    for (const uint32_t offset : testing::scale_offsets(type)) {
      uint16_t half;
      std::memcpy(&half, &rows[block + offset], sizeof half);
      half = f32_to_f16(f16_to_f32(half) * factor);
      std::memcpy(&rows[block + offset], &half, sizeof half);
    }
  }
}

// The standard deviation that a tensor's weights shall have.
double wanted_deviation(const GgufHeader::Tensor& tensor) {
  if (tensor.name == "token_embd.weight") return 1.0;
  const bool adds_to_residual =
      tensor.name.ends_with("attn_output.weight") || tensor.name.ends_with("ffn_down.weight");
  return (adds_to_residual ? 0.5 : 1.0) / std::sqrt(static_cast<double>(tensor.dims[0]));
}

Status write_tensor(const GgufHeader::Tensor& tensor, testing::Random& random, GgufWriter& writer) {
  if (tensor.type == TensorType::kF32) {
    const std::vector<float> ones(tensor.dims[0], 1.0f);
    return writer.write({reinterpret_cast<const uint8_t*>(ones.data()), ones.size() * sizeof(float)});
  }
  const auto cols = static_cast<uint32_t>(tensor.dims[0]), rows = static_cast<uint32_t>(tensor.dims[1]);
  const auto random_rows = [&](uint32_t count) {
    return testing::make_weights(random, tensor.type, count, cols, testing::Weights::kCentred);
  };
  const double factor =
      wanted_deviation(tensor) / standard_deviation(tensor.type, cols, random_rows(kSampleRows));
  for (uint32_t row = 0; row < rows; row += kRowsAtOnce) {
    std::vector<uint8_t> bytes = random_rows(std::min(kRowsAtOnce, rows - row));
    scale_weights(tensor.type, static_cast<float>(factor), bytes);
    HB_TRY(writer.write(bytes));
  }
  return {};
}

}  // namespace

Status write_synthetic_model(const std::string& path, const SyntheticModel& model,
                             const GgufFile& tokenizer) {
  HB_TRY(check_sizes(model));
  GgufHeader header;
  add_hyperparameters(model, header);
  HB_TRY(add_vocabulary(tokenizer, model.vocab, header));
  for (const testing::LayoutTensor& tensor : testing::model_tensors(shape_of(model)))
    header.add_tensor(tensor.name, type_of(model, tensor), tensor.dims);
  const std::vector<GgufHeader::Tensor> tensors = header.tensors();
  HB_ASSIGN(const auto writer, GgufWriter::create(path, std::move(header)));
  testing::Random random(model.seed);
  for (const GgufHeader::Tensor& tensor : tensors) HB_TRY(write_tensor(tensor, random, *writer));
  return writer->finish();
}

}  // namespace hb::bench
