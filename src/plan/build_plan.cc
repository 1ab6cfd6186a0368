#include "plan/build_plan.h"

#include <array>
#include <set>
#include <string_view>

#include "plan/architectures.h"
#include "plan/rope_frequencies.h"
#include "plan/validate.h"

namespace hb {
namespace {

struct ArchitectureRow {
  Architecture architecture;
  void (*build)(PlanBuilder&);
};

constexpr std::array kArchitectures = {
    ArchitectureRow{Architecture::kLlama, build_llama},
    ArchitectureRow{Architecture::kMiniCpm, build_minicpm},
    ArchitectureRow{Architecture::kQwen2, build_llama},
    ArchitectureRow{Architecture::kQwen3, build_qwen3},
    ArchitectureRow{Architecture::kGemma3, build_gemma3},
};

Result<Plan> build(const GgufFile& file) {
  HB_ASSIGN(const Hyperparameters hparams, read_hyperparameters(file));
  for (const ArchitectureRow& row : kArchitectures) {
    if (row.architecture != hparams.architecture) continue;
    PlanBuilder builder(file, hparams);
    row.build(builder);
    HB_ASSIGN(Plan plan, builder.finish());
    HB_TRY(validate(plan));  // the ranges of hparams.cc lie within the contract's; this makes sure
    return plan;
  }
  return fail(ErrorCode::kUnsupported,
              std::string("no plan for architecture ") + architecture_name(hparams.architecture));
}

}  // namespace

Result<Plan> build_plan(const GgufFile& file) {
  Result<Plan> plan = build(file);
  if (!plan && !file.path().empty()) return std::unexpected(plan.error().within(file.path()));
  return plan;
}

std::vector<std::string> unused_tensors(const GgufFile& file, const Plan& plan) {
  std::set<std::string_view> used = {kRopeFactorsTensor};  // folded into the plan's rope tables
  for (const PlanWeight& weight : plan.weights) used.insert(weight.name);
  std::vector<std::string> unused;
  for (const GgufTensor& tensor : file.tensors()) {
    if (!used.contains(tensor.name)) unused.push_back(tensor.name);
  }
  return unused;
}

}  // namespace hb
