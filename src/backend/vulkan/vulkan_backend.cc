#include "backend/vulkan/vulkan_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/context_checks.h"
#include "backend/vulkan/device_weights.h"
#include "backend/vulkan/half_check.h"
#include "backend/vulkan/instance.h"
#include "backend/vulkan/vulkan_context.h"
#include "backend/weight_reader.h"
#include "plan/validate.h"

namespace hb {
namespace vulkan {
namespace {

class VulkanExecutable final : public Executable {
 public:
  VulkanExecutable(const Plan& plan, std::vector<DeviceWeight> weights, std::shared_ptr<Shared> shared)
      : plan_(plan), weights_(std::move(weights)), shared_(std::move(shared)) {
    for (PlanWeight& weight : plan_.weights) weight.bytes = {};  // the file may be closed
  }

  const Plan& plan() const override { return plan_; }

  uint64_t weight_bytes() const override {
    uint64_t sum = 0;
    for (const DeviceWeight& weight : weights_) sum += weight.buffer.size();
    return sum;
  }

  std::vector<KernelChoice> kernel_choices() const override {
    const std::vector<WeightReader> readers = weight_readers(plan_);
    std::vector<KernelChoice> choices;
    for (size_t i = 0; i < readers.size(); ++i) {
      choices.push_back({plan_.weights[i].name, {}, {}, weights_[i].buffer.size()});
      const auto selection = select_reader(readers[i], plan_.weights[i].type);
      if (!selection) continue;
      choices[i].kernel = selection->kernel->name;
      choices[i].reason = selection->reason;
    }
    return choices;
  }

  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_TRY(check_options(options));
    return VulkanContext::create(plan_, weights_, *shared_, options);
  }

 private:
  // The kernel that reads a weight when one token is decoded. A bias is read by the matvec of its rows,
  // whichever that is; a norm reads floats, whatever the file held.
  std::optional<KernelSelection> select_reader(WeightReader reader, TensorType type) const {
    KernelRequest request = {KernelOp::kMatvec, type, 1};
    if (reader == WeightReader::kNone || reader == WeightReader::kBias) return {};
    if (reader == WeightReader::kEmbed) request.op = KernelOp::kEmbed;
    if (reader == WeightReader::kNorm) request = {KernelOp::kRmsNorm, {}, 1};
    auto selection = choose_kernel(shared_->device->facts(), request, shared_->forced_kernels);
    if (!selection) return {};
    return *selection;
  }

  Plan plan_;
  std::vector<DeviceWeight> weights_;
  std::shared_ptr<Shared> shared_;
};

class VulkanBackend final : public Backend {
 public:
  VulkanBackend(std::shared_ptr<Shared> shared, std::unique_ptr<ThreadPool> pool)
      : shared_(std::move(shared)), pool_(std::move(pool)) {}

  std::string name() const override { return "vulkan"; }
  std::string description() const override {
    const DeviceFacts& facts = shared_->device->facts();
    return facts.driver.empty() ? facts.name : fmt::format("{}, {}", facts.name, facts.driver);
  }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    HB_TRY(validate(plan));
    HB_ASSIGN(Commands commands, Commands::create(shared_->device));
    const std::lock_guard lock(pool_mutex_);
    HB_ASSIGN(std::vector<DeviceWeight> weights,
              upload_weights(plan, options, {*shared_->memory, commands, *pool_}));
    return std::make_unique<VulkanExecutable>(plan, std::move(weights), shared_);
  }

  const Shared& shared() const { return *shared_; }

 private:
  std::shared_ptr<Shared> shared_;
  std::mutex pool_mutex_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace
}  // namespace vulkan

Result<std::unique_ptr<Backend>> make_vulkan_backend(const VulkanBackendOptions& options) {
  for (const std::string& name : options.forced_kernels) {
    if (vulkan::find_kernel(name) == nullptr)
      return fail(ErrorCode::kInvalidArgument, fmt::format("there is no Vulkan kernel '{}'", name));
  }
  HB_ASSIGN(auto instance, vulkan::Instance::create(options.validate));
  auto shared = std::make_shared<vulkan::Shared>();
  HB_ASSIGN(
      shared->device,
      vulkan::Device::create(std::move(instance), {options.device, options.timeout, options.max_storage_range,
                                                   options.fail_after, options.flip_codes}));
  HB_ASSIGN(shared->pipelines, vulkan::Pipelines::create(shared->device, options.cache_folder));
  shared->memory = std::make_unique<vulkan::Memory>(shared->device, options.map_device_memory);
  HB_ASSIGN(const bool half_hardware, vulkan::converts_halves(*shared->memory, *shared->pipelines));
  shared->device->set_half_hardware(half_hardware);
  shared->forced_kernels = options.forced_kernels;
  HB_ASSIGN(auto pool, ThreadPool::create({.thread_count = std::max(options.threads, 1u)}));
  return std::make_unique<vulkan::VulkanBackend>(std::move(shared), std::move(pool));
}

VulkanReport vulkan_report(const Backend& backend) {
  const vulkan::Shared& shared = static_cast<const vulkan::VulkanBackend&>(backend).shared();
  return {shared.device->submissions(), shared.recordings, shared.device->instance().validation().messages()};
}

Result<std::vector<vulkan::DeviceFacts>> list_vulkan_devices() {
  HB_ASSIGN(const auto instance, vulkan::Instance::create(false));
  return instance->devices();
}

}  // namespace hb
