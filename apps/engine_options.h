// The flags that every command with a model has, and the engine that they describe.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/cpu_info.h"
#include "base/error.h"
#include "base/settings.h"
#include "engine/model.h"
#include "engine/session.h"

namespace hb {

struct EngineOptions {
  std::string model = "smollm2";
  std::string backend = "auto";
  uint32_t context = 0;  // 0: kDefaultContext, or all that the model has if that is less
  uint32_t batch = 512;
  TextMap settings;  // knobs of base/settings.def that the command line sets
};

constexpr uint32_t kDefaultContext = 4096;

void add_model_flag(CLI::App& command, EngineOptions& options);
// --threads (not if `own_threads`), --isa, --cpu-mask, --backend and --verbose.
void add_compute_flags(CLI::App& command, EngineOptions& options, bool own_threads = false);
// --context and --batch.
void add_session_flags(CLI::App& command, EngineOptions& options);

// An error of the engine, which knows no command line, with the option that makes the request right, if it is
// the request that was wrong.
std::unexpected<Error> naming_option(Error error, const char* option);

// The settings of this process, with `options` (by the knob's name) above the environment. Sets the log level
// and warns of variables that look misspelt.
Result<Settings> load_settings(const TextMap& options);

// The file that a user means: a path, a name of the catalogue, or a file of the cache folder.
// ERRORS: kNotFound, with the command that brings the model.
Result<std::string> resolve_model(const std::string& model, const Settings& settings);

// A model on its backend. To be measured beside, not with: see Evidence.
struct Engine {
  Settings settings;
  CpuInfo cpu;
  uint32_t threads = 1;
  std::shared_ptr<const Model> model;

  // ERRORS: those of resolve_model, of the backend and of Model::load.
  static Result<Engine> load(const EngineOptions& options, const Settings& settings);

  // ERRORS: those of Session::create. What the options leave open is filled in.
  Result<Session> new_session(const EngineOptions& options, SessionOptions session = {}) const;
};

}  // namespace hb
