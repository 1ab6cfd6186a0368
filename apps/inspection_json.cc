#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "apps/inspection.h"
#include "quant/activation.h"

namespace hb {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kArrayPreview = 8;
constexpr uint32_t kCacheTokens = 1024;
constexpr uint64_t kHalfBytes = 2;

// The shortest decimal that reads back as this float: 1e-05, not 9.999999747378752e-06.
double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

template <class Values>
Json preview(const Values& values) {
  Json first = Json::array();
  for (size_t i = 0; i < values.size() && i < kArrayPreview; ++i) first.push_back(values[i]);
  return first;
}

Json array_json(const GgufValue& value) {
  Json json = {{"count", value.count()}, {"first", Json::array()}};
  if (const auto strings = value.as_strings())
    json["first"] = preview(*strings);
  else if (const auto integers = value.as_integers())
    json["first"] = preview(*integers);
  else if (const auto floats = value.as_floats())
    json["first"] = preview(*floats);
  return json;
}

Json value_json(const GgufValue& value) {
  if (value.kind() == GgufKind::kArray) return array_json(value);
  if (const auto flag = value.as_bool(); flag && value.kind() == GgufKind::kBool) return *flag;
  if (const auto text = value.as_string()) return std::string(*text);
  if (const auto natural = value.as_u64()) return *natural;
  if (const auto integer = value.as_i64()) return *integer;
  const double number = value.as_f64().value_or(0);
  return value.kind() == GgufKind::kF32 ? shortest(static_cast<float>(number)) : number;
}

Json metadata_json(const GgufFile& file) {
  Json json = Json::object();
  for (const auto& [key, value] : file.metadata()) json[key] = value_json(value);
  return json;
}

Json tensors_json(const GgufFile& file) {
  Json json = Json::array();
  for (const GgufTensor& tensor : file.tensors()) {
    json.push_back({{"name", tensor.name},
                    {"type", tensor_type_name(tensor.type)},
                    {"shape", tensor.dims},
                    {"bytes", tensor.bytes.size()},
                    {"offset", tensor.file_offset},
                    {"file", tensor.file_index}});
  }
  return json;
}

Json lines_json(const std::string& text) {
  Json json = Json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) json.push_back(line);
  return json;
}

Json compiled_json(const CompiledFacts& facts) {
  Json kernels = Json::array();
  for (const KernelGroup& group : facts.kernels) {
    kernels.push_back({{"kernel", group.kernel},
                       {"weights", group.weights},
                       {"bytes", group.bytes},
                       {"reason", group.reason}});
  }
  return {{"backend", facts.backend}, {"device", facts.device}, {"kernels", kernels}};
}

uint64_t parameter_count(const GgufFile& file) {
  uint64_t count = 0;
  for (const GgufTensor& tensor : file.tensors()) count += tensor.rows() * tensor.row_elems();
  return count;
}

uint64_t cache_bytes(const Plan& plan, uint32_t tokens) {
  uint64_t bytes = 0;
  for (const CacheLayer& layer : plan.cache_layers) {
    bytes += 2 * kHalfBytes * layer.kv_heads * layer.head_dim * tokens;
  }
  return bytes;
}

uint64_t row_bytes_of(const PlanBuffer& buffer) {
  if (buffer.kind == PlanBuffer::Kind::kF32) return uint64_t{buffer.width} * sizeof(float);
  return uint64_t{buffer.width} / kBlockElems * sizeof(ActivationBlock);
}

// In the reference's layout; a backend may reuse memory between ops.
uint64_t activation_bytes(const Plan& plan, uint32_t batch) {
  uint64_t bytes = 0;
  for (const PlanBuffer& buffer : plan.buffers)
    bytes += row_bytes_of(buffer) * (buffer.output_rows ? 1 : batch);
  return bytes;
}

const char* rope_scaling_name(RopeScalingKind kind) {
  switch (kind) {
    case RopeScalingKind::kNone:
      return "none";
    case RopeScalingKind::kLinear:
      return "linear";
    case RopeScalingKind::kYarn:
      return "yarn";
    case RopeScalingKind::kFrequencyFactors:
      return "frequency factors";
  }
  return "";
}

}  // namespace

uint64_t file_bytes(const PlanWeight& weight) { return weight.rows * row_bytes(weight.type, weight.cols); }

std::string model_part(std::string_view weight) {
  if (weight.find("norm") != weight.npos) return "norms";
  if (weight.starts_with("token_embd.")) return "embedding";
  if (weight.starts_with("output.")) return "output";
  if (weight.find(".attn_") != weight.npos) return "attention";
  if (weight.find(".ffn_") != weight.npos) return "feed-forward";
  return "other";
}

Json hyperparameter_table(const Hyperparameters& h) {
  Json table = {{"architecture", architecture_name(h.architecture)},
                {"layers", h.layers},
                {"hidden", h.hidden},
                {"ffn", h.ffn},
                {"heads", h.heads},
                {"kv_heads", h.kv_heads},
                {"head_dim", h.head_dim},
                {"context", h.context},
                {"vocab", h.vocab},
                {"tied_output", h.tied_output},
                {"norm_eps", shortest(h.norm_eps)},
                {"attention_scale", shortest(h.attention_scale)},
                {"rope_dims", h.rope_dims},
                {"rope_base", shortest(h.rope_base)},
                {"rope_scaling", rope_scaling_name(h.rope_scaling.kind)}};
  if (h.sliding_window != 0) {
    table["sliding_window"] = h.sliding_window;
    table["sliding_layers"] = std::ranges::count(h.sliding_layers, true);
    table["rope_base_sliding"] = shortest(h.rope_base_sliding);
  }
  if (h.attention_soft_cap != 0) table["attention_soft_cap"] = shortest(h.attention_soft_cap);
  if (h.logit_soft_cap != 0) table["logit_soft_cap"] = shortest(h.logit_soft_cap);
  if (h.embedding_scale != 1) table["embedding_scale"] = shortest(h.embedding_scale);
  if (h.residual_scale != 1) table["residual_scale"] = shortest(h.residual_scale);
  if (h.logit_scale != 1) table["logit_scale"] = shortest(h.logit_scale);
  return table;
}

Json memory_table(const Inspection& inspection, const InspectOptions& options) {
  std::map<std::string, uint64_t> by_type;
  for (const PlanWeight& weight : inspection.plan.weights) {
    by_type[tensor_type_name(weight.type)] += file_bytes(weight);
  }
  Json table = {{"file_bytes", inspection.file->file_size_bytes()},
                {"weight_bytes_by_type", by_type},
                {"weight_bytes_per_token", weight_bytes_per_token(inspection.plan)},
                {"packed_weight_bytes", nullptr},
                {"packed_weight_bytes_by_part", nullptr},
                {"cache_bytes_per_1024_tokens", cache_bytes(inspection.plan, kCacheTokens)},
                {"activation_bytes", activation_bytes(inspection.plan, options.engine.batch)},
                {"batch", options.engine.batch}};
  if (inspection.compiled) {
    table["packed_weight_bytes"] = inspection.compiled->packed_bytes;
    table["packed_weight_bytes_by_part"] = inspection.compiled->packed_bytes_by_part;
  }
  return table;
}

Json to_json(const Inspection& inspection, const InspectOptions& options) {
  const GgufFile& file = *inspection.file;
  Json json = {{"schema", "halfbyte.inspect/1"},
               {"path", file.path()},
               {"gguf_version", file.version()},
               {"parameters", parameter_count(file)},
               {"tensor_count", file.tensors().size()},
               {"hyperparameters", hyperparameter_table(inspection.hyperparameters)},
               {"memory", memory_table(inspection, options)},
               {"metadata", metadata_json(file)}};
  if (options.tensors) json["tensors"] = tensors_json(file);
  if (options.plan) json["plan"] = lines_json(to_string(inspection.plan));
  if (inspection.compiled) json["compiled"] = compiled_json(*inspection.compiled);
  return json;
}

}  // namespace hb
