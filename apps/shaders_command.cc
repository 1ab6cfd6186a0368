#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "apps/commands.h"
#include "backend/vulkan/kernels.h"
#include "lab/phone_records.h"

namespace hb {
namespace {

using nlohmann::ordered_json;
using vulkan::Kernel;

constexpr const char* kExamples =
    "  halfbyte shaders\n"
    "  halfbyte shaders --device adreno-740\n"
    "  halfbyte shaders --device mali-g610 --json";
constexpr const char* kCompiler = "tools/phone/phone_shaders.py";  // of a checkout
constexpr TensorType kDecodeTypes[] = {TensorType::kQ4_0, TensorType::kQ4_1, TensorType::kQ4_K};

struct ShadersOptions {
  std::string device;
  std::string kernel;
  bool json = false;
  bool isa = false;
};

// The kernel for one row of the batch.
Result<vulkan::KernelSelection> choose(const PhoneRecord& record, TensorType type) {
  return choose_kernel(record.facts, {vulkan::KernelOp::kMatvec, type, 1}, {});
}

std::string figures_text(const ordered_json& figures) {
  std::string text;
  for (const auto& [name, value] : figures.items()) {
    text += fmt::format("  {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string one_line(const PhoneRecord& record) {
  std::string line = fmt::format("{:14}", record.phone);
  if (const Status usable = check_usable(record.facts); !usable) return line + "  " + usable.error().message;
  for (const TensorType type : kDecodeTypes) {
    const auto selection = choose(record, type);
    const std::string name = selection ? selection->kernel->name : "none";
    const ordered_json figures = record.kernels.value(name, ordered_json::object());
    const std::string slots =
        figures.contains("slots") ? fmt::format("{:.3f}", figures["slots"].get<double>()) : "-";
    line += fmt::format("  {:>5} {:30}", slots, name);
  }
  return line;
}

int print_all(bool json) {
  ordered_json all = ordered_json::array();
  const std::vector<PhoneRecord> records = phone_records();
  if (!json)
    fmt::print("Issue slots a weight of the decode matvec, and its kernel. Mesa {}.\n", records[0].mesa);
  for (const PhoneRecord& record : records) {
    all.push_back({{"phone", record.phone}, {"mesa", record.mesa}, {"kernels", record.kernels}});
    if (!json) fmt::print("{}\n", one_line(record));
  }
  if (json) fmt::print("{}\n", all.dump());
  return kExitOk;
}

Result<int> print_one(const ShadersOptions& options) {
  HB_ASSIGN(const PhoneRecord record, find_phone_record(options.device));
  if (options.json) {
    const ordered_json one = {{"phone", record.phone}, {"mesa", record.mesa}, {"kernels", record.kernels}};
    fmt::print("{}\n", one.dump());
    return kExitOk;
  }
  fmt::print("{}: {}, Mesa {}\n", record.phone, record.facts.name, record.mesa);
  const Status usable = check_usable(record.facts);
  if (!usable) fmt::print("The backend does not run there: {}\n", usable.error().message);
  for (const TensorType type : kDecodeTypes) {
    if (!usable) break;
    HB_ASSIGN(const auto selection, choose(record, type));
    fmt::print("{} decodes with {} ({})\n", tensor_type_name(type), selection.kernel->name, selection.reason);
  }
  for (const auto& [name, figures] : record.kernels.items()) {
    if (options.kernel.empty() || options.kernel == name)
      fmt::print("  {:36}{}\n", name, figures_text(figures));
  }
  return kExitOk;
}

// Becomes the script, which runs the compilers. Only returns if that fails.
Result<int> run_compilers(const ShadersOptions& options) {
  if (!std::filesystem::exists(kCompiler)) {
    return fail(
        ErrorCode::kNotFound,
        fmt::format("assembly comes from the compilers themselves: run this in a checkout of halfbyte, "
                    "where {} is",
                    kCompiler));
  }
  std::vector<std::string> words = {"python3", kCompiler, "--isa", "--device", options.device};
  if (!options.kernel.empty()) words.insert(words.end(), {"--kernel", options.kernel});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(ErrorCode::kIo, fmt::format("python3 cannot be started: {}", std::strerror(errno)));
}

Result<int> run_shaders(const ShadersOptions& options) {
  if (options.device.empty()) return print_all(options.json);
  if (options.isa) return run_compilers(options);
  return print_one(options);
}

}  // namespace

void add_shaders_command(CommandLine& line) {
  const auto options = std::make_shared<ShadersOptions>();
  CLI::App& command = line.add("shaders", "Show what compilers of phone GPUs make of the kernels", kExamples,
                               [options] { return run_shaders(*options); });
  CLI::Option* device =
      command.add_option("--device", options->device, "A phone GPU (adreno-740, mali-g610); without it, all");
  command.add_option("--kernel", options->kernel, "Only this kernel")->needs(device);
  command.add_flag("--json", options->json, "One JSON value instead of text");
  command
      .add_flag("--isa", options->isa,
                "Compile now and print the assembly; in a checkout, and needs qemu and a cross compiler")
      ->needs(device);
}

}  // namespace hb
