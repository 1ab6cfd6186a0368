#include "apps/line_reader.h"

#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <utility>

namespace hb {
namespace {

constexpr int kHistoryLines = 1000;
constexpr const char* kProgram = "halfbyte";

std::string without_line_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// What pipe and terminal have in common: a backslash at the end of a line asks for another one.
class JoiningReader : public LineReader {
 public:
  InputLine read() override {
    InputLine joined = read_one(false);
    while (joined.end == InputLine::End::kLine && joined.text.ends_with('\\')) {
      joined.text.back() = '\n';
      InputLine next = read_one(true);
      if (next.end == InputLine::End::kInterrupted) return next;
      if (next.end == InputLine::End::kEndOfInput) break;
      joined.text += next.text;
    }
    if (joined.end == InputLine::End::kLine) remember(joined.text);
    return joined;
  }

 private:
  virtual InputLine read_one(bool continued) = 0;
  virtual void remember(const std::string&) {}
};

class PipeReader final : public JoiningReader {
  InputLine read_one(bool) override {
    std::string line;
    std::array<char, 4096> piece;
    errno = 0;
    while (std::fgets(piece.data(), piece.size(), stdin) != nullptr) {
      line += piece.data();
      if (line.ends_with('\n')) return {InputLine::End::kLine, without_line_end(std::move(line))};
    }
    if (std::ferror(stdin) && errno == EINTR) return {InputLine::End::kInterrupted, {}};
    if (line.empty()) return {InputLine::End::kEndOfInput, {}};
    return {InputLine::End::kLine, line};
  }
};

class TerminalReader final : public JoiningReader {
 public:
  explicit TerminalReader(std::string history_path) : history_path_(std::move(history_path)) {}
  ~TerminalReader() override {
    save_history();
    if (edit_ != nullptr) ::el_end(edit_);
    if (history_ != nullptr) ::history_end(history_);
  }
  TerminalReader(const TerminalReader&) = delete;
  TerminalReader& operator=(const TerminalReader&) = delete;

  Status open() {
    std::setlocale(LC_CTYPE, "");  // libedit edits characters, not bytes
    history_ = ::history_init();
    edit_ = ::el_init(kProgram, stdin, stdout, stderr);
    if (history_ == nullptr || edit_ == nullptr)
      return fail(ErrorCode::kIo, "the terminal cannot be used for editing");
    HistEvent event;
    ::history(history_, &event, H_SETSIZE, kHistoryLines);
    ::history(history_, &event, H_SETUNIQUE, 1);
    if (!history_path_.empty()) ::history(history_, &event, H_LOAD, history_path_.c_str());
    ::el_set(edit_, EL_CLIENTDATA, this);
    ::el_set(edit_, EL_PROMPT, prompt);
    ::el_set(edit_, EL_GETCFN, read_character);
    ::el_set(edit_, EL_EDITOR, "emacs");
    ::el_set(edit_, EL_HIST, ::history, history_);
    ::el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    return {};
  }

 private:
  static char* prompt(EditLine* edit) {
    static char first[] = "> ", continued[] = ". ";
    TerminalReader* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    return self->continued_ ? continued : first;
  }

  // One character of the terminal. SIGINT is let in only while this waits (read_line), so that a Ctrl-C that
  // comes while the line is drawn ends the next wait instead of being missed.
  static int read_character(EditLine* edit, wchar_t* character) {
    TerminalReader* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    std::mbstate_t state = {};
    for (;;) {
      pollfd input = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      if (::ppoll(&input, 1, nullptr, &self->mask_while_waiting_) < 0) return -1;
      char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count <= 0) return static_cast<int>(count);
      const size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length <= 1) return 1;
      if (length == static_cast<size_t>(-1)) state = {};  // no character begins like this: skipped
    }
  }

  const char* read_line(int& count) {
    sigset_t interrupt;
    ::sigemptyset(&interrupt);
    ::sigaddset(&interrupt, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &interrupt, &mask_while_waiting_);
    errno = 0;
    const char* line = ::el_gets(edit_, &count);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &mask_while_waiting_, nullptr);
    errno = error;
    return line;
  }

  InputLine read_one(bool continued) override {
    continued_ = continued;
    int count = 0;
    const char* line = read_line(count);
    if (line != nullptr && count > 0) {
      return {InputLine::End::kLine, without_line_end(std::string(line, std::strlen(line)))};
    }
    std::fputc('\n', stdout);
    const bool interrupted = count < 0 && errno == EINTR;
    if (interrupted) ::el_reset(edit_);
    return {interrupted ? InputLine::End::kInterrupted : InputLine::End::kEndOfInput, {}};
  }

  void remember(const std::string& line) override {
    HistEvent event;
    if (!line.empty()) ::history(history_, &event, H_ENTER, line.c_str());
  }

  void save_history() const {
    if (history_ == nullptr || history_path_.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(history_path_).parent_path(), ignored);
    HistEvent event;
    ::history(history_, &event, H_SAVE, history_path_.c_str());
  }

  std::string history_path_;
  History* history_ = nullptr;
  EditLine* edit_ = nullptr;
  bool continued_ = false;
  sigset_t mask_while_waiting_ = {};
};

}  // namespace

Result<std::unique_ptr<LineReader>> make_terminal_reader(const std::string& history_path) {
  auto reader = std::make_unique<TerminalReader>(history_path);
  HB_TRY(reader->open());
  return reader;
}

std::unique_ptr<LineReader> make_pipe_reader() { return std::make_unique<PipeReader>(); }

}  // namespace hb
