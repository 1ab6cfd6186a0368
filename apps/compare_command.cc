#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/commands.h"
#include "lab/compare_tensors.h"
#include "lab/compare_tokens.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte compare tokens a.txt b.txt\n"
    "  halfbyte compare tokens a.txt b.txt --expect 64 --json\n"
    "  halfbyte compare tensors a.npy b.npy\n"
    "  halfbyte compare tensors a.bin b.bin --type f16 --shape 64,49152\n"
    "Exit codes: 0 the same, 1 different, 2 the files could not be compared.";

struct Options {
  std::string path_a, path_b;
  TokenCompareOptions tokens;
  std::string type;
  std::vector<uint64_t> shape;
  bool json = false;
};

template <class Report>
Result<int> print(const Options& options, const Result<Report>& report) {
  if (!report)
    report_error(report.error());
  else if (options.json)
    fmt::print("{}\n", to_json(*report).dump());
  else
    fmt::print("{}", to_text(*report));
  return exit_code(report);
}

Result<int> compare_tokens(const Options& options) {
  return print(options, compare_token_files(options.path_a, options.path_b, options.tokens));
}

Result<int> compare_tensors(const Options& options) {
  RawTensorFormat raw;
  if (!options.type.empty()) raw.type = options.type == "f16" ? FloatType::kF16 : FloatType::kF32;
  if (!options.shape.empty()) raw.shape = options.shape;
  return print(options, compare_tensor_files(options.path_a, options.path_b, raw));
}

CLI::App* add_kind(CLI::App& command, Options& options, const std::string& name, const std::string& help) {
  CLI::App* kind = command.add_subcommand(name, help);
  kind->add_option("A", options.path_a, "One file")->required();
  kind->add_option("B", options.path_b, "The other file")->required();
  kind->add_flag("--json", options.json, "One JSON object instead of text");
  return kind;
}

}  // namespace

void add_compare_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  const auto tensors = std::make_shared<CLI::App*>(nullptr);
  CLI::App& command =
      line.add("compare", "Compare token ids or tensors, bit for bit", kExamples, [options, tensors] {
        return (*tensors)->parsed() ? compare_tensors(*options) : compare_tokens(*options);
      });
  command.require_subcommand(1);
  CLI::App* tokens = add_kind(command, *options, "tokens", "Files of token ids, one a line");
  tokens->add_option("--expect", options->tokens.expected_count, "How many ids either file must have");
  *tensors = add_kind(command, *options, "tensors", "Files of float tensors: .npy, or raw with --type");
  (*tensors)
      ->add_option("--type", options->type, "Of raw files: f16 or f32")
      ->check(CLI::IsMember({"f16", "f32"}));
  (*tensors)
      ->add_option("--shape", options->shape, "Of raw files: 64,49152")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace hb
