// A conversation at the keyboard: messages are answered, lines that begin with '/' are commands.
#pragma once

#include <optional>
#include <string>

#include "apps/conversation.h"
#include "apps/engine_options.h"
#include "apps/interrupt.h"
#include "apps/terminal.h"
#include "base/error.h"
#include "engine/generator.h"
#include "lab/roofline.h"

namespace hb {

// BORROWS the interrupt scope. Writes answers to standard output, notes to standard error. THREADS: one.
class Chat {
 public:
  Chat(Engine engine, Session session, PromptMaker maker, GenerateOptions options, InterruptScope& interrupt);

  void set_system(const std::string& text) { conversation_.set_system(text); }

  // ERRORS: whatever a command or an answer met. The chat can go on: the conversation is as before the line.
  Status handle(const std::string& line);
  bool ended() const { return ended_; }

  Status load(const std::string& path);

 private:
  struct Command;
  static const Command kCommands[];

  Status run_command(const std::string& line);
  Status reset(const std::string& argument);
  Status change_system(const std::string& argument);
  Status save(const std::string& path);
  Status load_from(const std::string& path);
  Status regenerate(const std::string& argument);
  Status print_stats(const std::string& argument);
  Status help(const std::string& argument);
  Status exit(const std::string& argument);

  Status ask(const std::string& text);
  Status answer_or_restore(Conversation before);
  Status answer();
  Result<std::vector<int32_t>> fitting_prompt();

  Engine engine_;
  Session session_;
  PromptMaker maker_;
  GenerateOptions options_;
  InterruptScope& interrupt_;
  Style notes_;
  Conversation conversation_;
  std::optional<GenerateStats> stats_;  // of the last answer
  std::optional<BandwidthPoint> bandwidth_;
  bool ended_ = false;
};

}  // namespace hb
