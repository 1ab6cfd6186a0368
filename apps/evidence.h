// How fast an answer came, against what this machine's memory allows, and what proves that it is the right
// one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/engine_options.h"
#include "base/error.h"
#include "engine/generator.h"
#include "lab/roofline.h"

namespace hb {

// Where a number was obtained: everything that may change a speed, and nothing that may change a logit.
struct Setup {
  std::string model;  // the file's name, without folders
  uint64_t model_bytes = 0;
  std::string backend;  // "cpu"
  std::string device;   // "avx512vnni, 2 threads"
  std::string kernel;   // of the most weight bytes
  uint32_t threads = 1;
  uint64_t weight_bytes_per_token = 0;
};
Setup setup_of(const Engine& engine);
nlohmann::ordered_json to_json(const Setup& setup);

struct Evidence {
  Setup setup;
  GenerateStats stats;
  std::optional<BandwidthPoint> bandwidth;  // as measured beside the answer
};

double prompt_rate(const GenerateStats& stats);  // evaluated (not cached) prompt tokens a second; 0: none
double decode_rate(const GenerateStats& stats);  // tokens a second; 0: none

// One line without its end.
std::string to_line(const Evidence& evidence);
nlohmann::ordered_json to_json(const Evidence& evidence);

struct BandwidthRequest {
  uint64_t buffer_bytes = 0;  // what a token reads; limited to `limit_bytes`
  uint64_t limit_bytes = uint64_t{256} << 20;
  uint32_t budget_ms = 60;  // filling the buffer comes on top
  uint32_t threads = 1;
};

// How fast threads as the engine's read a buffer of the size that a token reads. It takes memory of its own:
// call it before a model is loaded or after it is gone, and peak memory does not grow. ERRORS: kOutOfMemory,
// kInvalidArgument (threads).
Result<BandwidthPoint> measure_read_bandwidth(const BandwidthRequest& request, const Settings& settings,
                                              const CpuInfo& cpu);

}  // namespace hb
