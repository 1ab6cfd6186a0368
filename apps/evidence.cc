#include "apps/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/aligned_buffer.h"
#include "base/thread_pool.h"

namespace hb {
namespace {

constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

double per_second(uint32_t count, double seconds) { return seconds > 0 ? count / seconds : 0; }

std::string main_kernel(const Executable& executable) {
  std::map<std::string, uint64_t> bytes_of_kernel;
  for (const KernelChoice& choice : executable.kernel_choices())
    bytes_of_kernel[choice.kernel] += choice.bytes;
  const auto most =
      std::ranges::max_element(bytes_of_kernel, {}, [](const auto& entry) { return entry.second; });
  return most == bytes_of_kernel.end() ? "ref" : most->first;
}

double decode_gbps(const Evidence& evidence) {
  return decode_rate(evidence.stats) * static_cast<double>(evidence.setup.weight_bytes_per_token) / 1e9;
}

// Pages that nobody wrote are all the same page of zeros, which would be read from a cache.
void fill(ThreadPool& pool, AlignedBuffer& buffer) {
  const auto chunks = static_cast<uint32_t>(buffer.size_bytes() / kChunkBytes);
  pool.parallel_for(chunks, [&](uint32_t chunk, uint32_t) {
    std::memset(buffer.data() + chunk * kChunkBytes, 1, kChunkBytes);
  });
}

}  // namespace

Setup setup_of(const Engine& engine) {
  const Model& model = *engine.model;
  return {.model = std::filesystem::path(model.file().path()).filename(),
          .model_bytes = model.file().file_size_bytes(),
          .backend = model.backend().name(),
          .device = model.backend().description(),
          .kernel = main_kernel(model.executable()),
          .threads = engine.threads,
          .weight_bytes_per_token = model.weight_bytes_per_token()};
}

nlohmann::ordered_json to_json(const Setup& setup) {
  return {{"version", HALFBYTE_VERSION},
          {"build_type", HALFBYTE_BUILD_TYPE},
          {"model", setup.model},
          {"model_bytes", setup.model_bytes},
          {"backend", setup.backend},
          {"device", setup.device},
          {"kernel", setup.kernel},
          {"threads", setup.threads},
          {"weight_bytes_per_token", setup.weight_bytes_per_token}};
}

double prompt_rate(const GenerateStats& stats) {
  return per_second(stats.prompt_tokens - stats.cached_tokens, stats.prompt_seconds);
}

double decode_rate(const GenerateStats& stats) {
  return per_second(stats.decoded_tokens, stats.decode_seconds);
}

std::string to_line(const Evidence& evidence) {
  const GenerateStats& stats = evidence.stats;
  std::string line = fmt::format("prompt {} tokens {:.0f}/s, decode {} tokens {:.1f}/s", stats.prompt_tokens,
                                 prompt_rate(stats), stats.decoded_tokens, decode_rate(stats));
  line += fmt::format(" | weights {:.1f} GB/s", decode_gbps(evidence));
  if (evidence.bandwidth) {
    const double limit = evidence.bandwidth->gbps.median;
    line += fmt::format(", {:.0f} % of {:.1f} GB/s read", 100 * decode_gbps(evidence) / limit, limit);
  }
  return line + fmt::format(" | {} ({}) | logits {:016x}", evidence.setup.kernel, evidence.setup.device,
                            stats.logits_hash);
}

nlohmann::ordered_json to_json(const Evidence& evidence) {
  const GenerateStats& stats = evidence.stats;
  nlohmann::ordered_json json = {{"setup", to_json(evidence.setup)},
                                 {"prompt_tokens", stats.prompt_tokens},
                                 {"cached_tokens", stats.cached_tokens},
                                 {"decoded_tokens", stats.decoded_tokens},
                                 {"prompt_seconds", stats.prompt_seconds},
                                 {"decode_seconds", stats.decode_seconds},
                                 {"prompt_tokens_per_second", prompt_rate(stats)},
                                 {"decode_tokens_per_second", decode_rate(stats)},
                                 {"decode_gbps", decode_gbps(evidence)},
                                 {"read_gbps", nullptr},
                                 {"logits_hash", fmt::format("{:016x}", stats.logits_hash)}};
  if (evidence.bandwidth) json["read_gbps"] = evidence.bandwidth->gbps.median;
  return json;
}

Result<BandwidthPoint> measure_read_bandwidth(const BandwidthRequest& request, const Settings& settings,
                                              const CpuInfo& cpu) {
  const uint64_t wanted = std::min(request.buffer_bytes, request.limit_bytes) / kChunkBytes * kChunkBytes;
  const uint64_t least = request.threads * kChunkBytes;
  HB_ASSIGN(const auto pool, ThreadPool::create({.thread_count = request.threads,
                                                 .cpu_mask = settings.cpu_mask,
                                                 .spin_us = settings.spin_us}));
  HB_ASSIGN(AlignedBuffer buffer,
            AlignedBuffer::allocate(std::max(wanted, least), AlignedBuffer::Pages::kHuge));
  fill(*pool, buffer);
  return measure_bandwidth(*pool, buffer.as<const uint8_t>(), cpu.isa, request.budget_ms);
}

}  // namespace hb
