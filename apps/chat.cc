#include "apps/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "apps/evidence.h"
#include "apps/session_files.h"
#include "apps/text_input.h"

namespace hb {

struct Chat::Command {
  const char* name;
  const char* argument;  // as /help shows it; empty: none is taken
  const char* help;
  Status (Chat::*run)(const std::string& argument);
};

const Chat::Command Chat::kCommands[] = {
    {"/reset", "", "forget the conversation, but not the system message", &Chat::reset},
    {"/system", "TEXT", "set the system message and start again; without a text there is none",
     &Chat::change_system},
    {"/save", "FILE", "save the conversation", &Chat::save},
    {"/load", "FILE", "go on with a saved conversation", &Chat::load_from},
    {"/regen", "", "answer the last message again, with the next seed", &Chat::regenerate},
    {"/stats", "", "how fast the last answer came, against what this machine's memory allows",
     &Chat::print_stats},
    {"/help", "", "show this", &Chat::help},
    {"/exit", "", "end; so does Ctrl-D", &Chat::exit},
};

namespace {

Status need_argument(const std::string& argument, const char* command) {
  if (!argument.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} needs the name of a file", command));
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  const size_t last = text.find_last_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

std::string forgotten_note(uint32_t turns) {
  if (turns == 1) return "(the context is full: the oldest turn is forgotten)";
  return fmt::format("(the context is full: the oldest {} turns are forgotten)", turns);
}

}  // namespace

Chat::Chat(Engine engine, Session session, PromptMaker maker, GenerateOptions options,
           InterruptScope& interrupt)
    : engine_(std::move(engine)),
      session_(std::move(session)),
      maker_(std::move(maker)),
      options_(std::move(options)),
      interrupt_(interrupt),
      notes_(stderr, engine_.settings) {}

Status Chat::handle(const std::string& line) {
  if (line.empty()) return {};
  HB_TRY(check_utf8(line, "message"));
  return line.starts_with('/') ? run_command(line) : ask(line);
}

Status Chat::run_command(const std::string& line) {
  const std::string name = line.substr(0, line.find_first_of(" \t"));
  for (const Command& command : kCommands) {
    if (command.name == name) return (this->*command.run)(trimmed(line.substr(name.size())));
  }
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("no command is called '{}'; /help shows them. A message that begins with '/' needs a space "
                  "in front",
                  name));
}

Status Chat::reset(const std::string&) {
  conversation_.clear_turns();
  session_.truncate(0);
  return {};
}

Status Chat::change_system(const std::string& argument) {
  conversation_.set_system(argument);
  return reset({});
}

Status Chat::save(const std::string& path) {
  HB_TRY(need_argument(path, "/save"));
  return save_session(path, session_, conversation_);
}

Status Chat::load_from(const std::string& path) {
  HB_TRY(need_argument(path, "/load"));
  return load(path);
}

Status Chat::load(const std::string& path) {
  Conversation loaded;
  HB_TRY(load_session(path, session_, loaded));
  conversation_ = std::move(loaded);
  return {};
}

Status Chat::regenerate(const std::string&) {
  Conversation before = conversation_;
  if (!conversation_.remove_from_last("assistant"))
    return fail(ErrorCode::kInvalidArgument, "there is no answer yet to give again");
  ++options_.sampler.seed;
  return answer_or_restore(std::move(before));
}

Status Chat::print_stats(const std::string&) {
  if (!stats_) return fail(ErrorCode::kInvalidArgument, "there is no answer yet to tell of");
  Evidence evidence = {.setup = setup_of(engine_), .stats = *stats_, .bandwidth = bandwidth_};
  if (!bandwidth_) {
    const BandwidthRequest request = {.buffer_bytes = evidence.setup.weight_bytes_per_token,
                                      .threads = evidence.setup.threads};
    HB_ASSIGN(bandwidth_, measure_read_bandwidth(request, engine_.settings, engine_.cpu));
    evidence.bandwidth = bandwidth_;
  }
  fmt::print("{}\ncontext {} of {} tokens, {} messages, seed {}\n", to_line(evidence),
             session_.tokens().size(), session_.context(), conversation_.messages().size(),
             options_.sampler.seed);
  return {};
}

Status Chat::help(const std::string&) {
  for (const Command& command : kCommands) {
    fmt::print("{:<14}{}\n", fmt::format("{} {}", command.name, command.argument), command.help);
  }
  fmt::print("A line that ends in a backslash goes on in the next one. Ctrl-C stops an answer.\n");
  return {};
}

Status Chat::exit(const std::string&) {
  ended_ = true;
  return {};
}

Status Chat::ask(const std::string& text) {
  Conversation before = conversation_;
  conversation_.add("user", text);
  return answer_or_restore(std::move(before));
}

Status Chat::answer_or_restore(Conversation before) {
  Status status = answer();
  if (!status) conversation_ = std::move(before);
  return status;
}

// Forgets the oldest turns when the conversation outgrows three quarters of the context.
Result<std::vector<int32_t>> Chat::fitting_prompt() {
  HB_ASSIGN(std::vector<int32_t> tokens, maker_.of_messages(conversation_));
  uint32_t forgotten = 0;
  while (tokens.size() > session_.context() / 4 * 3 && conversation_.remove_oldest_turn()) {
    HB_ASSIGN(tokens, maker_.of_messages(conversation_));
    ++forgotten;
  }
  const bool fits = tokens.size() < session_.context();  // otherwise nothing will have happened
  if (forgotten > 0 && fits) fmt::print(stderr, "{}\n", notes_.dim(forgotten_note(forgotten)));
  return tokens;
}

Status Chat::answer() {
  HB_ASSIGN(const std::vector<int32_t> prompt, fitting_prompt());
  GenerateOptions options = options_;
  HB_ASSIGN(options.max_tokens, room_for_answer(session_, prompt.size(), options.max_tokens));
  interrupt_.clear();
  const auto on_event = [this](const TokenEvent& event) {
    std::fwrite(event.text.data(), 1, event.text.size(), stdout);
    std::fflush(stdout);
    return !interrupt_.requested();
  };
  const auto progress = [this](uint32_t, uint32_t) { return !interrupt_.requested(); };
  const auto answered = generate(session_, prompt, options, on_event, progress);
  interrupt_.clear();
  if (!answered) return std::unexpected(answered.error());
  fmt::print("\n");
  std::fflush(stdout);
  if (answered->finish == FinishReason::kLength) {
    fmt::print(stderr, "{}\n",
               notes_.dim(fmt::format("(the answer ends at {} tokens)", answered->tokens.size())));
  }
  conversation_.add("assistant", answered->text);
  stats_ = answered->stats;
  return {};
}

}  // namespace hb
