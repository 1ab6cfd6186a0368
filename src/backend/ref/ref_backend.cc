#include "backend/ref/ref_backend.h"

#include <fmt/format.h>

#include "backend/context_checks.h"
#include "backend/ref/ref_context.h"
#include "base/memory_errors.h"
#include "plan/validate.h"
#include "quant/weight_block.h"

namespace hb {
namespace {

class RefExecutable final : public Executable {
 public:
  // `plan.weights[i].bytes` are `bytes[i]`.
  RefExecutable(Plan plan, std::vector<std::vector<uint8_t>> bytes)
      : plan_(std::move(plan)), bytes_(std::move(bytes)) {}

  const Plan& plan() const override { return plan_; }

  uint64_t weight_bytes() const override {
    uint64_t sum = 0;
    for (const auto& bytes : bytes_) sum += bytes.size();
    return sum;
  }

  std::vector<KernelChoice> kernel_choices() const override {
    std::vector<KernelChoice> choices;
    for (const PlanWeight& weight : plan_.weights)
      choices.push_back({weight.name, "scalar", "the reference has no other", weight.bytes.size()});
    return choices;
  }

  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_TRY(check_options(options));
    const std::string cache = fmt::format("a cache of {} positions", options.capacity);
    return without_bad_alloc(cache.c_str(), [&]() -> Result<std::unique_ptr<ExecutionContext>> {
      return std::make_unique<ref::RefContext>(plan_, options);
    });
  }

 private:
  Plan plan_;
  std::vector<std::vector<uint8_t>> bytes_;
};

Status check_rows(const PlanWeight& weight) {
  const uint64_t stride = row_bytes(weight.type, weight.cols);
  for (uint32_t row = 0; row < weight.rows; ++row) {
    const Status status = check_row(weight.type, weight.bytes.data() + row * stride, weight.cols);
    if (!status)
      return fail(status.error().code,
                  fmt::format("weight '{}', row {}: {}", weight.name, row, status.error().message));
  }
  return {};
}

class RefBackend final : public Backend {
 public:
  std::string name() const override { return "ref"; }
  std::string description() const override { return "scalar reference, one thread"; }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    return without_bad_alloc("the weights", [&] { return copy_weights(plan, options); });
  }

 private:
  static Result<std::unique_ptr<Executable>> copy_weights(const Plan& plan, const CompileOptions& options) {
    HB_TRY(validate(plan));
    Plan copy = plan;
    std::vector<std::vector<uint8_t>> bytes;
    for (PlanWeight& weight : copy.weights) {
      HB_TRY(check_rows(weight));
      bytes.emplace_back(weight.bytes.begin(), weight.bytes.end());
      if (options.bytes_done != nullptr) options.bytes_done(options.user, weight.bytes);
      HB_TRY(options.report_done(weight));
      weight.bytes = bytes.back();
    }
    return std::make_unique<RefExecutable>(std::move(copy), std::move(bytes));
  }
};

}  // namespace

std::unique_ptr<Backend> make_ref_backend() { return std::make_unique<RefBackend>(); }

}  // namespace hb
