// make_synthetic_model OUT.gguf --tokenizer MODEL.gguf: see synthetic_model.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "quant/format_traits.h"
#include "synthetic_model.h"

namespace {

std::map<std::string, hb::TensorType> quantised_types() {
  std::map<std::string, hb::TensorType> types;
  for (const hb::FormatTraits& format : hb::kFormatTraits)
    types[hb::tensor_type_name(format.type)] = format.type;
  return types;
}

int run(const std::string& path, const hb::bench::SyntheticModel& model, const std::string& tokenizer) {
  const auto file = hb::GgufFile::open(tokenizer);
  const hb::Status status =
      file ? hb::bench::write_synthetic_model(path, model, **file) : std::unexpected(file.error());
  if (status) return 0;
  fmt::print(stderr, "make_synthetic_model: {}\n", status.error().message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a llama model with random weights, for measurements.");
  hb::bench::SyntheticModel model;
  std::string path, tokenizer;
  app.add_option("out", path, "The GGUF file to write")->required();
  app.add_option("--tokenizer", tokenizer, "A GGUF file with a BPE vocabulary")
      ->required()
      ->check(CLI::ExistingFile);
  const auto size = [&](const char* name, uint32_t& value) {
    app.add_option(name, value)->capture_default_str();
  };
  size("--hidden", model.hidden);
  size("--ffn", model.ffn);
  size("--layers", model.layers);
  size("--heads", model.heads);
  size("--kv-heads", model.kv_heads);
  size("--vocab", model.vocab);
  size("--context", model.context);
  const CLI::CheckedTransformer known(quantised_types(), CLI::ignore_case);
  const auto type = [&](const char* name, hb::TensorType& value) {
    app.add_option(name, value)->transform(known);
  };
  type("--type", model.matrices);
  type("--embedding-type", model.embedding);
  type("--output-type", model.output);
  app.add_option("--seed", model.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return run(path, model, tokenizer);
}
