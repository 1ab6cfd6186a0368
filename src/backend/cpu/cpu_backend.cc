#include "backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include "backend/context_checks.h"
#include "backend/cpu/attention_args.h"
#include "backend/cpu/cpu_context.h"
#include "backend/cpu/packed_weights.h"
#include "backend/weight_reader.h"
#include "base/memory_errors.h"
#include "plan/validate.h"

namespace hb {
namespace cpu {
namespace {

std::string weight_kernel(WeightReader reader, TensorType type, const KernelTable& kernels) {
  switch (reader) {
    case WeightReader::kNone:
      return {};
    case WeightReader::kEmbed:
      return fmt::format("scale_row_{}", kernels.isa);
    case WeightReader::kNorm:
      return fmt::format("rms_norm_{}", kernels.isa);
    case WeightReader::kBias:
      return fmt::format("finish_rows_{}", kernels.isa);
    case WeightReader::kMatvec:
      return tile_kernel_name(kernels, type);
  }
  return {};
}

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Plan& plan, PackedWeights weights, std::shared_ptr<Shared> shared)
      : plan_(plan), weights_(std::move(weights)), shared_(std::move(shared)) {
    for (PlanWeight& weight : plan_.weights) weight.bytes = {};  // the file may be closed
  }

  const Plan& plan() const override { return plan_; }

  uint64_t weight_bytes() const override { return weights_.storage.size_bytes(); }

  std::vector<KernelChoice> kernel_choices() const override {
    const std::vector<WeightReader> readers = weight_readers(plan_);
    std::vector<KernelChoice> choices;
    for (size_t i = 0; i < readers.size(); ++i) {
      const PlanWeight& weight = plan_.weights[i];
      choices.push_back({weight.name, weight_kernel(readers[i], weight.type, *shared_->kernels),
                         shared_->isa_reason, weights_.weights[i].data.size()});
    }
    return choices;
  }

  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_TRY(check_options(options));
    return without_bad_alloc("a context",
                             [&] { return CpuContext::create(plan_, weights_.weights, *shared_, options); });
  }

 private:
  Plan plan_;
  PackedWeights weights_;
  std::shared_ptr<Shared> shared_;
};

Status check_limits(const Plan& plan) {
  for (const CacheLayer& layer : plan.cache_layers) {
    if (layer.head_dim <= kMaxHeadDim && layer.kv_heads * layer.head_dim <= kMaxCacheRow) continue;
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} KV heads of {}; the CPU backend takes heads up to {} and rows up to {}",
                            layer.kv_heads, layer.head_dim, kMaxHeadDim, kMaxCacheRow));
  }
  return {};
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    const uint32_t threads = shared_->pool->thread_count();
    return fmt::format("{}, {} thread{}", shared_->kernels->isa, threads, threads == 1 ? "" : "s");
  }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    return without_bad_alloc("the weights", [&]() -> Result<std::unique_ptr<Executable>> {
      HB_TRY(validate(plan));
      HB_TRY(check_limits(plan));
      HB_ASSIGN(PackedWeights weights, pack_weights(plan, options, *shared_));
      return std::make_unique<CpuExecutable>(plan, std::move(weights), shared_);
    });
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace
}  // namespace cpu

Result<std::unique_ptr<Backend>> make_cpu_backend(const CpuBackendOptions& options) {
  HB_ASSIGN(const cpu::IsaChoice choice, cpu::choose_isa(options.cpu_isa, options.isa));
  auto shared = std::make_shared<cpu::Shared>();
  shared->kernels = choice.table;
  shared->isa_reason = choice.reason;
  shared->huge_pages = options.huge_pages;
  HB_ASSIGN(shared->pool,
            ThreadPool::create(
                {.thread_count = options.threads, .cpu_mask = options.cpu_mask, .spin_us = options.spin_us}));
  return std::make_unique<cpu::CpuBackend>(std::move(shared));
}

}  // namespace hb
