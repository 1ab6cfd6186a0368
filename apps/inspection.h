// What a model file holds and what halfbyte makes of it, for people and for machines.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "apps/engine_options.h"
#include "apps/terminal.h"
#include "base/error.h"
#include "model/gguf.h"
#include "model/hparams.h"
#include "plan/plan.h"

namespace hb {

struct InspectOptions {
  EngineOptions engine;
  bool tensors = false;
  bool plan = false;
  bool kernels = false;
  bool json = false;
};

// The kernels that a backend chose, those of one reason together.
struct KernelGroup {
  std::string kernel, reason;
  uint32_t weights = 0;
  uint64_t bytes = 0;  // in the file
};

// What compiling the plan tells.
struct CompiledFacts {
  std::string backend, device;
  uint64_t packed_bytes = 0;
  std::map<std::string, uint64_t> packed_bytes_by_part;  // by model_part()
  std::vector<KernelGroup> kernels;
};

// OWNS the open file; the plan's weights are its bytes.
struct Inspection {
  std::unique_ptr<GgufFile> file;
  Hyperparameters hyperparameters;
  Plan plan;
  std::optional<CompiledFacts> compiled;  // if the kernels were asked for
};

// One object, schema "halfbyte.inspect/1"; plan, tensors and kernels are in it if asked for.
nlohmann::ordered_json to_json(const Inspection& inspection, const InspectOptions& options);

// Lines, the same facts as in to_json().
std::string to_text(const Inspection& inspection, const InspectOptions& options, const Style& style);

// The tables that both are made of.
nlohmann::ordered_json hyperparameter_table(const Hyperparameters& hyperparameters);
nlohmann::ordered_json memory_table(const Inspection& inspection, const InspectOptions& options);

uint64_t file_bytes(const PlanWeight& weight);

// The part of a model that a weight (by its name in the file) belongs to: "embedding", "attention",
// "feed-forward", "norms", "output", or "other". An embedding table that is also the output is "embedding".
std::string model_part(std::string_view weight);

}  // namespace hb
