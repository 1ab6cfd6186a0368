#include "apps/engine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "backend/cpu/cpu_backend.h"
#include "backend/fallback/fallback_backend.h"
#include "backend/opencl/opencl_backend.h"
#include "backend/ref/ref_backend.h"
#include "backend/vulkan/vulkan_backend.h"
#include "base/log.h"
#include "fetch/pull.h"

namespace hb {
namespace {

// A flag whose value goes to a knob of the settings table, which checks it.
void add_setting_flag(CLI::App& command, EngineOptions& options, const std::string& flag,
                      const std::string& knob, const std::string& help) {
  command.add_option_function<std::string>(
      flag, [&options, knob](const std::string& value) { options.settings[knob] = value; }, help);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

uint32_t thread_count(const Settings& settings, const CpuInfo& cpu) {
  return settings.threads != 0 ? settings.threads : cpu.recommended_threads;
}

Result<std::unique_ptr<Backend>> make_cpu(const Settings& settings, const CpuInfo& cpu) {
  const CpuBackendOptions options = {.threads = thread_count(settings, cpu),
                                     .isa = settings.isa,
                                     .cpu_isa = cpu.isa,
                                     .cpu_mask = settings.cpu_mask,
                                     .spin_us = settings.spin_us,
                                     .huge_pages = settings.huge_pages};
  if (!settings.cpu_mask.empty()) HB_TRY(settings.cpu_mask.apply_to_this_thread());
  return make_cpu_backend(options);
}

Result<std::unique_ptr<Backend>> make_vulkan(const Settings& settings, const CpuInfo& cpu) {
  return make_vulkan_backend({.device = settings.vulkan_device,
                              .cache_folder = settings.cache_dir,
                              .threads = thread_count(settings, cpu),
                              .timeout = std::chrono::seconds(settings.vulkan_timeout_s),
                              .validate = settings.vulkan_validation,
                              .fail_after = settings.vulkan_fail_after});
}

Result<std::unique_ptr<Backend>> make_opencl(const Settings& settings, const CpuInfo& cpu) {
  return make_opencl_backend({.library = settings.opencl_library,
                              .device = settings.opencl_device,
                              .cache_folder = settings.cache_dir,
                              .threads = thread_count(settings, cpu),
                              .flush_every = settings.opencl_flush_every,
                              .wait = settings.opencl_wait});
}

// The CPU; or, where a device was named, that device with the CPU behind it.
Result<std::unique_ptr<Backend>> make_auto(const Settings& settings, const CpuInfo& cpu) {
  if (settings.vulkan_device.empty()) return make_cpu(settings, cpu);
  auto vulkan = make_vulkan(settings, cpu);
  if (!vulkan) {
    log_warning("{}; the CPU is used instead", vulkan.error().message);
    return make_cpu(settings, cpu);
  }
  return make_fallback_backend(
      {.first = std::move(*vulkan),
       .make_second = [settings, cpu] { return make_cpu(settings, cpu); },
       .failed = [](const Error& why) { log_warning("{}; going on with the CPU", why.message); }});
}

Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const Settings& settings,
                                              const CpuInfo& cpu) {
  if (name == "ref") return make_ref_backend();
  if (name == "cpu") return make_cpu(settings, cpu);
  if (name == "vulkan") return make_vulkan(settings, cpu);
  if (name == "opencl") return make_opencl(settings, cpu);
  return make_auto(settings, cpu);
}

}  // namespace

void add_model_flag(CLI::App& command, EngineOptions& options) {
  command.add_option("-m,--model", options.model, "A GGUF file, or a name of 'halfbyte pull --list'")
      ->capture_default_str();
}

void add_compute_flags(CLI::App& command, EngineOptions& options, bool own_threads) {
  if (!own_threads) {
    add_setting_flag(command, options, "-t,--threads", "threads",
                     "Threads; 0: as many as there are fast cores");
  }
  add_setting_flag(command, options, "--isa", "isa", "Instruction set of the CPU kernels, or auto");
  add_setting_flag(command, options, "--cpu-mask", "cpu_mask",
                   "CPUs to run on, hexadecimal (f0: the CPUs 4 to 7)");
  command.add_option_function<std::string>(
      "--device",
      [&options](const std::string& value) {
        for (const char* knob : {"vulkan_device", "opencl_device"}) options.settings[knob] = value;
      },
      "The Vulkan or OpenCL device, by its number or a part of its name: see 'halfbyte devices'");
  add_setting_flag(command, options, "--flush-every", "opencl_flush_every",
                   "OpenCL: kernels after which the queue is flushed; 0: at the end of a batch");
  command.add_flag_callback(
      "--wait", [&options] { options.settings["opencl_wait"] = "on"; },
      "OpenCL: wait for the device at every flush");
  command
      .add_option("--backend", options.backend,
                  "auto (cpu; with --device that Vulkan device, and the CPU if it fails), cpu, vulkan, "
                  "opencl, or ref "
                  "(the slow reference)")
      ->check(CLI::IsMember({"auto", "cpu", "vulkan", "opencl", "ref"}))
      ->capture_default_str();
  command.add_flag_callback(
      "-v,--verbose", [&options] { options.settings["log_level"] = "info"; }, "Say more on standard error");
}

void add_session_flags(CLI::App& command, EngineOptions& options) {
  command.add_option(
      "-c,--context", options.context,
      fmt::format("Tokens that prompt and answer may have together; 0: {}, or the model's limit",
                  kDefaultContext));
  command.add_option("--batch", options.batch, "Prompt tokens evaluated at a time; changes no result")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
}

std::unexpected<Error> naming_option(Error error, const char* option) {
  if (error.code == ErrorCode::kInvalidArgument) error.message += fmt::format(" ({})", option);
  return std::unexpected(std::move(error));
}

Result<Settings> load_settings(const TextMap& options) {
  const TextMap environment = process_environment();
  HB_ASSIGN(Settings settings, Settings::load(environment, options));
  set_log_level(log_level_of(settings.log_level));
  for (const std::string& name : unknown_variables(environment)) {
    log_warning("the variable {} means nothing to halfbyte; see 'halfbyte version --settings'", name);
  }
  return settings;
}

Result<std::string> resolve_model(const std::string& model, const Settings& settings) {
  if (is_file(model)) return model;
  if (const CatalogueModel* known = find_catalogue_model(model)) {
    const std::string path = model_path(*known, settings.cache_dir);
    if (is_file(path)) return path;
    return fail(
        ErrorCode::kNotFound,
        fmt::format("the model '{}' is not in the cache folder; run 'halfbyte pull {}'", model, model));
  }
  const std::string cached = settings.cache_dir + "/models/" + model;
  if (is_file(cached)) return cached;
  return fail(
      ErrorCode::kNotFound,
      fmt::format("no file and no known model is called '{}'; 'halfbyte pull --list' shows the known ones, "
                  "'halfbyte pull smollm2' brings one",
                  model));
}

Result<Engine> Engine::load(const EngineOptions& options, const Settings& settings) {
  Engine engine{.settings = settings, .cpu = detect_cpu_info(), .threads = 1, .model = nullptr};
  HB_ASSIGN(const std::string path, resolve_model(options.model, settings));
  HB_ASSIGN(std::unique_ptr<Backend> backend, make_backend(options.backend, settings, engine.cpu));
  if (options.backend != "ref") engine.threads = thread_count(settings, engine.cpu);
  log_info("{} with the {} backend: {}", path, backend->name(), backend->description());
  HB_ASSIGN(engine.model, Model::load(path, std::move(backend)));
  return engine;
}

Result<Session> Engine::new_session(const EngineOptions& options, SessionOptions session) const {
  session.context = options.context;
  if (session.context == 0) session.context = std::min(kDefaultContext, model->plan().max_positions);
  session.batch = options.batch;
  return Session::create(model, session);
}

}  // namespace hb
