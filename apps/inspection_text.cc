#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/inspection.h"
#include "apps/progress_bar.h"
#include "model/printable.h"

namespace hb {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_text(uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string json_text(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>()
                                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return printable(text);
}

// "[49152] a, b, c, …"
std::string metadata_text(const Json& value) {
  if (!value.is_object()) return json_text(value);
  std::vector<std::string> first;
  for (const Json& element : value["first"]) first.push_back(json_text(element));
  const bool more = value["count"].get<size_t>() > first.size();
  return printable(fmt::format("[{}] {}", value["count"].get<size_t>(), fmt::join(first, ", "))) +
         (more ? " …" : "");
}

std::string row(const std::string& name, const std::string& value) {
  return fmt::format("  {:<40} {}\n", name, value);
}

std::string memory_text(const Json& memory) {
  std::string text = row("file", bytes_text(memory["file_bytes"]));
  for (const auto& [type, bytes] : memory["weight_bytes_by_type"].items()) {
    text += row("weights " + type, bytes_text(bytes));
  }
  for (const auto& [part, bytes] : memory["packed_weight_bytes_by_part"].items())
    text += row("packed " + part, bytes_text(bytes));
  if (!memory["packed_weight_bytes"].is_null())
    text += row("packed in all", bytes_text(memory["packed_weight_bytes"]));
  text += row("read per decoded token", bytes_text(memory["weight_bytes_per_token"]));
  text += row("cache per 1024 tokens", bytes_text(memory["cache_bytes_per_1024_tokens"]));
  text += row(fmt::format("activations, batch of {}", memory["batch"].get<uint32_t>()),
              bytes_text(memory["activation_bytes"]));
  return text;
}

std::string tensors_text(const Json& tensors) {
  std::string text;
  for (const Json& tensor : tensors) {
    std::vector<uint64_t> shape = tensor["shape"];
    text += fmt::format("  {:<40} {:<8}{:<18}{:>10}  at {}\n", printable(tensor["name"].get<std::string>()),
                        tensor["type"].get<std::string>(), fmt::format("{}", fmt::join(shape, " x ")),
                        bytes_text(tensor["bytes"]), tensor["offset"].get<uint64_t>());
  }
  return text;
}

std::string kernels_text(const CompiledFacts& facts) {
  std::string text;
  for (const KernelGroup& group : facts.kernels) {
    text += fmt::format("  {:<36}{:>4} weights {:>10}  {}\n", group.kernel, group.weights,
                        bytes_text(group.bytes), group.reason);
  }
  return text;
}

}  // namespace

std::string to_text(const Inspection& inspection, const InspectOptions& options, const Style& style) {
  const Json json = to_json(inspection, options);
  std::string text = fmt::format("{}\n  GGUF {}, {} tensors, {:.1f} million parameters\n",
                                 style.bold(json["path"]), json["gguf_version"].get<int>(),
                                 json["tensor_count"].get<size_t>(), json["parameters"].get<double>() / 1e6);
  const auto heading = [&](const char* name) { text += "\n" + style.bold(name) + "\n"; };
  heading("Hyper-parameters");
  for (const auto& [name, value] : json["hyperparameters"].items()) text += row(name, json_text(value));
  heading("Memory");
  text += memory_text(json["memory"]);
  heading("Metadata");
  for (const auto& [key, value] : json["metadata"].items()) {
    text += row(printable(key), metadata_text(value));
  }
  if (options.tensors) {
    heading("Tensors");
    text += tensors_text(json["tensors"]);
  }
  if (options.plan) {
    heading("Plan");
    text += to_string(inspection.plan);
  }
  if (inspection.compiled) {
    heading("Kernels");
    text += fmt::format("  {} backend: {}\n", inspection.compiled->backend, inspection.compiled->device);
    text += kernels_text(*inspection.compiled);
  }
  return text;
}

}  // namespace hb
