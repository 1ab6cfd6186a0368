#include <fmt/format.h>

#include <map>
#include <memory>

#include "apps/commands.h"
#include "apps/inspection.h"
#include "plan/build_plan.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte inspect model.gguf\n"
    "  halfbyte inspect smollm2 --tensors\n"
    "  halfbyte inspect smollm2 --plan                 what is computed for a token, in order\n"
    "  halfbyte inspect smollm2 --kernels --isa avx2   by which kernels, and why\n"
    "  halfbyte inspect smollm2 --json | jq .memory";

CompiledFacts facts_of(const Model& model) {
  std::map<std::string, uint64_t> bytes;
  for (const PlanWeight& weight : model.plan().weights) bytes[weight.name] = file_bytes(weight);
  std::map<std::pair<std::string, std::string>, KernelGroup> groups;
  std::map<std::string, uint64_t> packed;
  for (const KernelChoice& choice : model.executable().kernel_choices()) {
    KernelGroup& group = groups[{choice.kernel, choice.reason}];
    group.kernel = choice.kernel;
    group.reason = choice.reason;
    group.bytes += bytes[choice.weight];
    ++group.weights;
    packed[model_part(choice.weight)] += choice.bytes;
  }
  CompiledFacts facts = {.backend = model.backend().name(),
                         .device = model.backend().description(),
                         .packed_bytes = model.executable().weight_bytes(),
                         .packed_bytes_by_part = std::move(packed),
                         .kernels = {}};
  for (auto& [key, group] : groups) facts.kernels.push_back(std::move(group));
  return facts;
}

Result<Inspection> inspect_file(const InspectOptions& options, const Settings& settings) {
  Inspection inspection;
  HB_ASSIGN(const std::string path, resolve_model(options.engine.model, settings));
  HB_ASSIGN(inspection.file, GgufFile::open(path));
  HB_ASSIGN(inspection.hyperparameters, read_hyperparameters(*inspection.file));
  HB_ASSIGN(inspection.plan, build_plan(*inspection.file));
  if (!options.kernels) return inspection;
  HB_ASSIGN(const Engine engine, Engine::load(options.engine, settings));
  inspection.compiled = facts_of(*engine.model);
  return inspection;
}

Result<int> inspect(const InspectOptions& options) {
  HB_ASSIGN(const Settings settings, load_settings(options.engine.settings));
  HB_ASSIGN(const Inspection inspection, inspect_file(options, settings));
  if (options.json) {
    const auto json = to_json(inspection, options);
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", to_text(inspection, options, Style(stdout, settings)));
  }
  return kExitOk;
}

}  // namespace

void add_inspect_command(CommandLine& line) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App& command = line.add("inspect", "Show what is in a model, and what is made of it", kExamples,
                               [options] { return inspect(*options); });
  command
      .add_option("model,-m,--model", options->engine.model,
                  "A GGUF file, or a name of 'halfbyte pull --list'")
      ->capture_default_str();
  command.add_flag("--tensors", options->tensors, "List every tensor");
  command.add_flag("--plan", options->plan, "List every operation of a token");
  command.add_flag("--kernels", options->kernels, "Load the model and show the kernels, and why these");
  command.add_flag("--json", options->json, "One JSON object instead of text");
  command.add_option("--batch", options->engine.batch, "For the size of the activations")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
  add_compute_flags(command, options->engine);
}

}  // namespace hb
