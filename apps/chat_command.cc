#include <fmt/format.h>

#include <memory>

#include "apps/chat.h"
#include "apps/commands.h"
#include "apps/line_reader.h"
#include "apps/sampler_flags.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte chat\n"
    "  halfbyte chat --system 'You answer in one sentence.'\n"
    "  halfbyte chat -m model.gguf --load yesterday.session\n"
    "  printf 'Hello.\\nAnd in French?\\n' | halfbyte chat --temp 0\n"
    "In the chat, /help shows the commands. Ctrl-C stops an answer, Ctrl-D ends the chat.";

struct Options {
  EngineOptions engine;
  SamplerFlags sampling;
  std::string system;
  std::string chat_template;
  std::string load_file;
};

Result<PromptMaker> prompt_maker(const Options& options, const Engine& engine) {
  HB_ASSIGN(PromptMaker maker, PromptMaker::create(*engine.model, false, options.chat_template));
  if (!maker.raw()) return maker;
  return fail(
      ErrorCode::kInvalidArgument,
      "the model has no chat template: use 'halfbyte run', which goes on with a text, or give one with "
      "--template");
}

Result<std::unique_ptr<LineReader>> line_reader(const Settings& settings) {
  if (!is_terminal(stdin)) return make_pipe_reader();
  const std::string& cache = settings.cache_dir;
  return make_terminal_reader(cache.empty() ? "" : cache + "/chat_history");
}

// In a pipe, nobody sees a message in time to act on it: the exit code tells of it.
Result<int> converse(Chat& chat, LineReader& reader, InterruptScope& interrupt) {
  const bool interactive = is_terminal(stdin);
  int exit_code = kExitOk;
  while (!chat.ended()) {
    const InputLine line = reader.read();
    if (line.end == InputLine::End::kEndOfInput) break;
    if (line.end == InputLine::End::kInterrupted) {
      if (!interactive) return kExitInterrupted;
      interrupt.clear();
      continue;
    }
    const Status status = chat.handle(line.text);
    if (status) continue;
    report_error(status.error());
    if (!interactive && status.error().code != ErrorCode::kCancelled) exit_code = kExitFailure;
  }
  return exit_code;
}

Result<int> run_chat(const Options& options) {
  HB_ASSIGN(const Settings settings, load_settings(options.engine.settings));
  HB_ASSIGN(const GenerateOptions generate_with, generate_options(options.sampling));
  HB_ASSIGN(Engine engine, Engine::load(options.engine, settings));
  HB_ASSIGN(PromptMaker maker, prompt_maker(options, engine));
  HB_ASSIGN(Session session, engine.new_session(options.engine));
  HB_ASSIGN(const std::unique_ptr<LineReader> reader, line_reader(settings));
  InterruptScope interrupt;
  Chat chat(std::move(engine), std::move(session), std::move(maker), generate_with, interrupt);
  if (!options.load_file.empty()) HB_TRY(chat.load(options.load_file));
  if (!options.system.empty()) chat.set_system(options.system);
  return converse(chat, *reader, interrupt);
}

}  // namespace

void add_chat_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  options->sampling.generate.max_tokens = 0;
  CLI::App& command =
      line.add("chat", "Talk with a model", kExamples, [options] { return run_chat(*options); });
  add_model_flag(command, options->engine);
  command.add_option("--system", options->system, "The system message");
  add_template_flag(command, options->chat_template);
  command.add_option("--load", options->load_file, "Go on with a saved conversation");
  add_session_flags(command, options->engine);
  add_compute_flags(command, options->engine);
  add_sampler_flags(command, options->sampling);
}

}  // namespace hb
