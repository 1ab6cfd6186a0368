#include "backend/fallback/fallback_backend.h"

#include <fmt/format.h>

#include <mutex>

#include "backend/fallback/fallback_context.h"

namespace hb {
namespace fallback {
namespace {

class FallbackExecutable final : public Executable {
 public:
  FallbackExecutable(const Plan& plan, std::unique_ptr<Executable> first,
                     std::shared_ptr<const FallbackOptions> options)
      : plan_(plan), options_(std::move(options)), first_(std::move(first)) {}

  const Plan& plan() const override { return first_->plan(); }
  uint64_t weight_bytes() const override { return first_->weight_bytes(); }
  std::vector<KernelChoice> kernel_choices() const override { return first_->kernel_choices(); }

  Result<std::unique_ptr<ExecutionContext>> new_context(const ContextOptions& options) override {
    HB_ASSIGN(std::unique_ptr<ExecutionContext> context, first_->new_context(options));
    return std::make_unique<FallbackContext>(std::move(context), options,
                                             [this](const Error& why) { return second(why); });
  }

 private:
  Result<Executable*> second(const Error& why) {
    const std::lock_guard lock(mutex_);
    if (options_->failed) options_->failed(why);
    if (second_ == nullptr) {
      HB_ASSIGN(second_backend_, options_->make_second());
      HB_ASSIGN(second_, second_backend_->compile(plan_, {}));
    }
    return second_.get();
  }

  const Plan plan_;  // its weights are still in the file
  std::shared_ptr<const FallbackOptions> options_;
  std::unique_ptr<Executable> first_;
  std::mutex mutex_;
  std::unique_ptr<Backend> second_backend_;
  std::unique_ptr<Executable> second_;
};

class FallbackBackend final : public Backend {
 public:
  explicit FallbackBackend(FallbackOptions options)
      : options_(std::make_shared<const FallbackOptions>(std::move(options))) {}

  std::string name() const override { return options_->first->name(); }
  std::string description() const override { return options_->first->description(); }

  Result<std::unique_ptr<Executable>> compile(const Plan& plan, const CompileOptions& options) override {
    HB_ASSIGN(std::unique_ptr<Executable> first, options_->first->compile(plan, options));
    return std::make_unique<FallbackExecutable>(plan, std::move(first), options_);
  }

 private:
  std::shared_ptr<const FallbackOptions> options_;
};

}  // namespace
}  // namespace fallback

std::unique_ptr<Backend> make_fallback_backend(FallbackOptions options) {
  return std::make_unique<fallback::FallbackBackend>(std::move(options));
}

}  // namespace hb
