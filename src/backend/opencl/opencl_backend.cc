#include "backend/opencl/opencl_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/opencl/device_weights.h"
#include "backend/opencl/opencl_context.h"
#include "backend/opencl/query_facts.h"
#include "backend/weight_reader.h"
#include "plan/validate.h"

namespace hb {
namespace opencl {
namespace {

constexpr uint32_t kMaxBatch = 65535;

class OpenclExecutable final : public Executable {
 public:
  OpenclExecutable(const Plan& plan, std::vector<DeviceWeight> weights, std::shared_ptr<Shared> shared)
      : plan_(plan), weights_(std::move(weights)), shared_(std::move(shared)) {
    for (PlanWeight& weight : plan_.weights) weight.bytes = {};  // the file may be closed
  }

  const Plan& plan() const override { return plan_; }

  uint64_t weight_bytes() const override {
    uint64_t sum = 0;
    for (const DeviceWeight& weight : weights_) sum += weight.bytes();
    return sum;
  }

  std::vector<KernelChoice> kernel_choices() const override {
    const std::vector<WeightReader> readers = weight_readers(plan_);
    std::vector<KernelChoice> choices;
    for (size_t i = 0; i < readers.size(); ++i) {
      choices.push_back({plan_.weights[i].name, {}, {}, weights_[i].bytes()});
      const auto selection = select_reader(readers[i], plan_.weights[i].type);
      if (!selection) continue;
      choices[i].kernel = selection->kernel->name;
      choices[i].reason = selection->reason;
    }
    return choices;
  }

  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    if (options.capacity == 0 || options.max_batch == 0 || options.max_batch > kMaxBatch) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "a context of {} positions and batches of {}; both must be positive, and batches at most {}",
              options.capacity, options.max_batch, kMaxBatch));
    }
    return OpenclContext::create(plan_, weights_, *shared_, options);
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

class OpenclBackend final : public Backend {
 public:
  OpenclBackend(std::shared_ptr<Shared> shared, std::unique_ptr<ThreadPool> pool)
      : shared_(std::move(shared)), pool_(std::move(pool)) {}

  std::string name() const override { return "opencl"; }
  std::string description() const override {
    const DeviceFacts& facts = shared_->device->facts();
    return fmt::format("{}, {} {}", facts.name, facts.platform, facts.driver);
  }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    HB_TRY(validate(plan));
    HB_ASSIGN(Queue queue, Queue::create(shared_->device));
    const std::lock_guard lock(pool_mutex_);
    HB_ASSIGN(std::vector<DeviceWeight> weights, upload_weights(plan, options, {queue, *pool_}));
    return std::make_unique<OpenclExecutable>(plan, std::move(weights), shared_);
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::mutex pool_mutex_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace
}  // namespace opencl

Result<std::unique_ptr<Backend>> make_opencl_backend(const OpenclBackendOptions& options) {
  for (const std::string& name : options.forced_kernels) {
    if (opencl::find_kernel(name) == nullptr)
      return fail(ErrorCode::kInvalidArgument, fmt::format("there is no OpenCL kernel '{}'", name));
  }
  auto shared = std::make_shared<opencl::Shared>();
  HB_ASSIGN(shared->device,
            opencl::Device::create({options.library, options.device, options.max_allocation}));
  shared->programs = std::make_unique<opencl::Programs>(shared->device, options.cache_folder);
  shared->forced_kernels = options.forced_kernels;
  shared->enqueue = {options.flush_every, options.wait};
  HB_ASSIGN(auto pool, ThreadPool::create({.thread_count = std::max(options.threads, 1u)}));
  return std::make_unique<opencl::OpenclBackend>(std::move(shared), std::move(pool));
}

Result<std::vector<opencl::DeviceFacts>> list_opencl_devices(const std::string& library) {
  HB_ASSIGN(const auto loaded, opencl::load_library(library));
  HB_ASSIGN(const auto found, opencl::find_devices(*loaded));
  std::vector<opencl::DeviceFacts> facts;
  for (const opencl::FoundDevice& device : found) facts.push_back(device.facts);
  return facts;
}

}  // namespace hb
