#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/commands.h"
#include "apps/conversation.h"
#include "apps/engine_options.h"
#include "apps/evidence.h"
#include "apps/interrupt.h"
#include "apps/logits_dump.h"
#include "apps/sampler_flags.h"
#include "apps/session_files.h"
#include "apps/terminal.h"
#include "apps/text_input.h"
#include "base/log.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte run 'Write one sentence about rivers.'\n"
    "  halfbyte run --temp 0 --json 'What is the capital of France?' | jq -r .text\n"
    "  halfbyte run -m gemma3-270m -n 64 'Once upon a time'        a base model goes on with the text\n"
    "  git diff | halfbyte run --system 'Summarise this change.'   the prompt from standard input\n"
    "  halfbyte run --temp 0 --tokens-out a.txt --dump-logits a.npy -f prompt.txt\n"
    "The same command gives the same answer: --seed chooses another one. Ctrl-C stops the answer (exit code "
    "130).";

struct Options {
  EngineOptions engine;
  SamplerFlags sampling;
  TextSource prompt;
  std::string system;
  std::string chat_template;
  bool raw = false;
  bool shift = false;
  bool json = false;
  bool quiet = false;
  std::string logits_file;
  std::string tokens_file;
  std::string load_file;
  std::string save_file;
};

// One run: what is asked, and what answers it.
struct Run {
  const Options& options;
  Engine engine;
  Session session;
  PromptMaker maker;
  Conversation conversation;
  std::optional<LogitsDump> dump;
  nlohmann::ordered_json logprobs = nlohmann::ordered_json::array();
};

Result<Run> prepare(const Options& options) {
  HB_ASSIGN(const Settings settings, load_settings(options.engine.settings));
  HB_ASSIGN(Engine engine, Engine::load(options.engine, settings));
  HB_ASSIGN(Session session, engine.new_session(options.engine, {.shift = options.shift}));
  HB_ASSIGN(PromptMaker maker, PromptMaker::create(*engine.model, options.raw, options.chat_template));
  if (maker.raw() && !options.raw) log_info("the model has no chat template: the prompt goes in as it is");
  if (maker.raw() && !options.system.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--system needs a chat template; put the text into the prompt");
  }
  Run run = {options, std::move(engine), std::move(session), std::move(maker), {}, std::nullopt};
  if (!options.load_file.empty()) HB_TRY(load_session(options.load_file, run.session, run.conversation));
  if (!options.logits_file.empty()) {
    HB_ASSIGN(run.dump, LogitsDump::create(options.logits_file, run.engine.model->plan().vocab_size));
  }
  return run;
}

// After a loaded session, a raw prompt goes on where that ended.
Result<std::vector<int32_t>> prompt_tokens(Run& run, const std::string& text) {
  if (!run.maker.raw()) {
    if (!run.options.system.empty()) run.conversation.set_system(run.options.system);
    run.conversation.add("user", text);
    return run.maker.of_messages(run.conversation);
  }
  std::vector<int32_t> tokens = run.session.tokens();
  HB_ASSIGN(const std::vector<int32_t> more, run.maker.of_text(text, tokens.empty()));
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

nlohmann::ordered_json logprob_json(const SampledToken& token) {
  nlohmann::ordered_json likeliest = nlohmann::ordered_json::array();
  for (const TokenLogprob& entry : token.likeliest)
    likeliest.push_back({{"id", entry.id}, {"logprob", entry.logprob}});
  return {{"id", token.id}, {"logprob", token.logprob.value_or(0.0f)}, {"likeliest", likeliest}};
}

// What happens with every token. False: stop.
bool on_token(Run& run, const TokenEvent& event, const InterruptScope& interrupt) {
  if (!run.options.json && !event.text.empty()) {
    std::fwrite(event.text.data(), 1, event.text.size(), stdout);
    std::fflush(stdout);
  }
  if (event.token != nullptr) {
    if (run.dump) run.dump->add(run.session.logits());
    if (event.token->logprob) run.logprobs.push_back(logprob_json(*event.token));
  }
  return !interrupt.requested() && std::ferror(stdout) == 0;
}

Result<Answer> answer_prompt(Run& run, const std::string& text) {
  HB_ASSIGN(const std::vector<int32_t> tokens, prompt_tokens(run, text));
  HB_ASSIGN(GenerateOptions generate_with, generate_options(run.options.sampling));
  if (!run.options.shift) {
    HB_ASSIGN(generate_with.max_tokens,
              room_for_answer(run.session, tokens.size(), generate_with.max_tokens));
  }
  if (run.dump) generate_with.tokens_per_submit = 1;  // each token's logits are wanted
  const InterruptScope interrupt;
  return generate(
      run.session, tokens, generate_with,
      [&](const TokenEvent& event) { return on_token(run, event, interrupt); },
      [&](uint32_t, uint32_t) { return !interrupt.requested(); });
}

Status write_tokens(const std::string& path, const std::vector<int32_t>& tokens) {
  std::ofstream out(path, std::ios::binary);
  for (const int32_t token : tokens) out << token << '\n';
  out.close();
  if (out) return {};
  return fail(ErrorCode::kIo, fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

Status write_files(Run& run, const Answer& answer) {
  const Options& options = run.options;
  if (run.dump) HB_TRY(run.dump->finish());
  if (!options.tokens_file.empty()) HB_TRY(write_tokens(options.tokens_file, answer.tokens));
  if (options.save_file.empty()) return {};
  if (!run.maker.raw()) run.conversation.add("assistant", answer.text);
  return save_session(options.save_file, run.session, run.conversation);
}

// Lets the model go first, so that the measurement's memory comes in its place.
Evidence collect_evidence(std::unique_ptr<Run> run, const GenerateStats& stats) {
  Evidence evidence = {.setup = setup_of(run->engine), .stats = stats, .bandwidth = std::nullopt};
  const bool measure = !run->options.quiet;
  const Settings settings = run->engine.settings;
  const CpuInfo cpu = run->engine.cpu;
  run.reset();
  if (!measure) return evidence;
  const BandwidthRequest request = {.buffer_bytes = evidence.setup.weight_bytes_per_token,
                                    .threads = evidence.setup.threads};
  auto bandwidth = measure_read_bandwidth(request, settings, cpu);
  if (bandwidth)
    evidence.bandwidth = *bandwidth;
  else
    log_warning("the read bandwidth was not measured: {}", bandwidth.error().message);
  return evidence;
}

void print_json(const Answer& answer, const Evidence& evidence, const nlohmann::ordered_json& logprobs) {
  nlohmann::ordered_json json = {{"schema", "halfbyte.run/1"},
                                 {"text", answer.text},
                                 {"tokens", answer.tokens},
                                 {"finish", finish_reason_name(answer.finish)},
                                 {"evidence", to_json(evidence)}};
  if (!logprobs.empty()) json["logprobs"] = logprobs;
  fmt::print("{}\n", json.dump());
}

Status end_output(const Options& options) {
  if (!options.json) std::fputc('\n', stdout);
  std::fflush(stdout);
  if (std::ferror(stdout) == 0) return {};
  return fail(ErrorCode::kIo, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

Result<int> run_prompt(const Options& options) {
  HB_ASSIGN(const std::string text, read_text(options.prompt, "prompt"));
  HB_ASSIGN(Run prepared, prepare(options));
  auto run = std::make_unique<Run>(std::move(prepared));
  const auto answer = answer_prompt(*run, text);
  if (!answer && answer.error().code == ErrorCode::kCancelled) {
    fmt::print(stderr, "halfbyte: {}\n", answer.error().message);
    return kExitInterrupted;
  }
  if (!answer) return std::unexpected(answer.error());
  HB_TRY(write_files(*run, *answer));
  const Style style(stderr, run->engine.settings);
  const nlohmann::ordered_json logprobs = std::move(run->logprobs);
  HB_TRY(end_output(options));
  const Evidence evidence = collect_evidence(std::move(run), answer->stats);
  if (options.json)
    print_json(*answer, evidence, logprobs);
  else if (!options.quiet)
    fmt::print(stderr, "{}\n", style.dim(to_line(evidence)));
  return answer->finish == FinishReason::kCancelled ? kExitInterrupted : kExitOk;
}

void add_file_flags(CLI::App& command, Options& options) {
  command.add_option("--tokens-out", options.tokens_file, "Write the answer's token ids here, one a line");
  command.add_option("--dump-logits", options.logits_file,
                     "Write the logits of every decoded step here: .npy, float32 (steps, vocab)");
  command.add_option("--load", options.load_file, "Go on with a saved session");
  command.add_option("--save", options.save_file, "Save the session here when the answer is complete");
}

}  // namespace

void add_run_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      line.add("run", "Answer one prompt", kExamples, [options] { return run_prompt(*options); });
  add_text_source(command, options->prompt, "prompt",
                  "The prompt; without it, it is read from standard input");
  add_model_flag(command, options->engine);
  command.add_option("--system", options->system, "The system message, before the prompt");
  command.add_flag("--raw", options->raw, "Use no chat template: the prompt's text goes in as it is");
  add_template_flag(command, options->chat_template);
  CLI::Option* json = command.add_flag("--json", options->json, "One JSON object instead of text");
  command
      .add_option("--logprobs", options->sampling.generate.sampler.logprobs,
                  "With --json: the log-probabilities of each token and of the N likeliest")
      ->needs(json)
      ->check(CLI::Range(0, 1000));
  command.add_flag("-q,--quiet", options->quiet, "No line of evidence, and no measurement for it");
  command.add_flag("--shift", options->shift, "When the context is full, drop its older half and go on");
  add_file_flags(command, *options);
  add_session_flags(command, options->engine);
  add_compute_flags(command, options->engine);
  add_sampler_flags(command, options->sampling);
}

}  // namespace hb
