#include "api/make_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/api_error.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/ref/ref_backend.h"
#include "backend/vulkan/vulkan_backend.h"
#include "base/cpu_info.h"

namespace hb::api {
namespace {

std::string_view text_or(const char* text, std::string_view fallback) {
  return text == nullptr ? fallback : text;
}

// Fast cores, of those that the mask allows.
uint32_t choose_threads(const CpuInfo& machine, const CpuMask& mask) {
  if (mask.empty()) return machine.recommended_threads;
  return std::clamp((mask & machine.usable_cpus).count(), 1u, std::max(1u, machine.usable_cpu_count));
}

Result<std::unique_ptr<Backend>> make_cpu(const hb_model_options& options) {
  CpuBackendOptions cpu;
  cpu.isa = text_or(options.isa, "auto");
  if (const std::string_view mask = text_or(options.cpu_mask, ""); !mask.empty()) {
    HB_ASSIGN(cpu.cpu_mask, CpuMask::parse(mask));
  }
  cpu.threads = options.threads != 0 ? options.threads : choose_threads(detect_cpu_info(), cpu.cpu_mask);
  cpu.spin_us = options.spin_us;
  cpu.huge_pages = options.huge_pages != 0;
  return make_cpu_backend(cpu);
}

Result<std::unique_ptr<Backend>> make_vulkan(const hb_model_options& options) {
  VulkanBackendOptions vulkan;
  vulkan.device = text_or(options.vulkan_device, "");
  vulkan.cache_folder = text_or(options.cache_folder, "");
  vulkan.threads = options.threads != 0 ? options.threads : detect_cpu_info().recommended_threads;
  return make_vulkan_backend(vulkan);
}

class ProgressBackend final : public Backend {
 public:
  ProgressBackend(std::unique_ptr<Backend> inner, hb_progress_fn progress, void* user)
      : inner_(std::move(inner)), progress_(progress), user_(user) {}

  std::string name() const override { return inner_->name(); }
  std::string description() const override { return inner_->description(); }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    Count count = {.options = options, .backend = *this};
    for (const PlanWeight& weight : plan.weights) count.total += weight.bytes.size();
    HB_ASSIGN(auto executable, inner_->compile(plan, {.weight_done = Count::weight_done,
                                                      .bytes_done = Count::bytes_done,
                                                      .user = &count}));
    if (count.stopped) return fail(ErrorCode::kCancelled, "stopped while packing the weights");
    return executable;
  }

 private:
  struct Count {
    const CompileOptions& options;
    const ProgressBackend& backend;
    uint64_t done = 0, total = 0;  // bytes
    bool stopped = false;

    static void bytes_done(void* user, std::span<const uint8_t> bytes) {
      const auto& options = static_cast<Count*>(user)->options;
      if (options.bytes_done != nullptr) options.bytes_done(options.user, bytes);
    }

    static void weight_done(void* user, const PlanWeight& weight) {
      auto& count = *static_cast<Count*>(user);
      count.done += weight.bytes.size();
      if (count.options.weight_done != nullptr) count.options.weight_done(count.options.user, weight);
      if (!count.stopped)
        count.stopped = count.backend.progress_(count.backend.user_, count.done, count.total) != 0;
    }
  };

  std::unique_ptr<Backend> inner_;
  hb_progress_fn progress_;
  void* user_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const hb_model_options& options) {
  HB_TRY(is_switch(options.huge_pages, "huge_pages"));
  HB_TRY(is_zero(options.reserved, "reserved"));
  const std::string_view name = text_or(options.backend, "cpu");
  if (name == "cpu") return make_cpu(options);
  if (name == "ref") return make_ref_backend();
  if (name == "vulkan") return make_vulkan(options);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no backend '{}'; there are cpu, vulkan and ref", name));
}

std::unique_ptr<Backend> with_progress(std::unique_ptr<Backend> inner, hb_progress_fn progress, void* user) {
  return std::make_unique<ProgressBackend>(std::move(inner), progress, user);
}

}  // namespace hb::api
