#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/engine_options.h"
#include "apps/evidence.h"
#include "apps/interrupt.h"
#include "apps/terminal.h"
#include "apps/text_input.h"
#include "lab/perplexity.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte perplexity -f text.txt\n"
    "  halfbyte perplexity -m gemma3-270m -f text.txt --context 1024 --json\n"
    "  halfbyte perplexity -f text.txt --chunks 4          only the beginning of a long text\n"
    "Comparable with llama-perplexity of the same context: the text is one stream of tokens, cut into chunks "
    "of that\n"
    "many; each is read from an empty cache, and the tokens of its second half are scored.";

struct Options {
  EngineOptions engine;
  TextSource text;
  uint32_t chunks = 0;
  bool json = false;
  bool quiet = false;
};

void print_progress(const Options& options, const PerplexityScore& score, uint32_t done, uint32_t total) {
  if (options.quiet) return;
  const bool rewrite = is_terminal(stderr);
  fmt::print(stderr, "{}chunk {} of {}: perplexity {:.4f}{}", rewrite ? "\r" : "", done, total,
             score.perplexity(), rewrite && done < total ? "" : "\n");
}

struct Measured {
  PerplexityScore score;
  uint32_t chunks = 0;
  uint32_t tokens = 0;  // of the whole text
  double seconds = 0;
  bool stopped = false;  // by Ctrl-C
};

Result<Measured> measure(const Options& options, const Engine& engine, const std::string& text) {
  const Tokenizer& tokenizer = engine.model->tokenizer();
  HB_ASSIGN(const std::vector<int32_t> tokens, tokenizer.encode(text));
  auto chunks = perplexity_chunks(tokens, options.engine.context, tokenizer);
  if (!chunks) return naming_option(chunks.error(), "--context");
  if (options.chunks != 0 && options.chunks < chunks->size()) chunks->resize(options.chunks);
  HB_ASSIGN(Session session, engine.new_session(options.engine));
  const InterruptScope interrupt;
  const auto start = std::chrono::steady_clock::now();
  Measured measured;
  measured.tokens = static_cast<uint32_t>(tokens.size());
  for (const std::vector<int32_t>& chunk : *chunks) {
    HB_TRY(score_chunk(session, chunk, measured.score));
    ++measured.chunks;
    print_progress(options, measured.score, measured.chunks, static_cast<uint32_t>(chunks->size()));
    measured.stopped = interrupt.requested();
    if (measured.stopped) break;
  }
  measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return measured;
}

void print_result(const Options& options, const Engine& engine, const Measured& measured) {
  const PerplexityScore& score = measured.score;
  const double rate = measured.chunks * options.engine.context / measured.seconds;
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"schema", "halfbyte.perplexity/1"},        {"perplexity", score.perplexity()},
        {"standard_error", score.standard_error()}, {"scored_tokens", score.count()},
        {"text_tokens", measured.tokens},           {"chunks", measured.chunks},
        {"context", options.engine.context},        {"tokens_per_second", rate},
        {"setup", to_json(setup_of(engine))}};
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("perplexity {:.4f} +/- {:.5f} ({} chunks of {}, {} tokens scored, {:.0f} tokens/s)\n",
             score.perplexity(), score.standard_error(), measured.chunks, options.engine.context,
             score.count(), rate);
}

Result<int> perplexity(const Options& options) {
  HB_ASSIGN(const std::string text, read_text(options.text, "text"));
  HB_ASSIGN(const Settings settings, load_settings(options.engine.settings));
  HB_ASSIGN(const Engine engine, Engine::load(options.engine, settings));
  HB_ASSIGN(const Measured measured, measure(options, engine, text));
  print_result(options, engine, measured);
  return measured.stopped ? kExitInterrupted : kExitOk;
}

}  // namespace

void add_perplexity_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  options->engine.context = 512;
  CLI::App& command = line.add("perplexity", "Measure how well a model predicts a text", kExamples,
                               [options] { return perplexity(*options); });
  add_text_source(command, options->text, "text", "The text; without it, it is read from standard input");
  add_model_flag(command, options->engine);
  command.add_option("--chunks", options->chunks, "Stop after so many chunks; 0: the whole text");
  command.add_flag("--json", options->json, "One JSON object instead of text");
  command.add_flag("-q,--quiet", options->quiet, "No progress");
  command.add_option("-c,--context", options->engine.context, "Tokens of a chunk")->capture_default_str();
  command.add_option("--batch", options->engine.batch, "Tokens evaluated at a time; changes no result")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
  add_compute_flags(command, options->engine);
}

}  // namespace hb
