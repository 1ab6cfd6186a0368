#include "apps/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace hb {
namespace {

struct OptionWords {
  std::vector<std::string> flags;  // "-o", "--output"
  std::string description;
};

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<OptionWords> options;
  std::vector<std::string> kinds;  // "tokens" of "compare tokens"
};

void add_options(const CLI::App& command, std::vector<OptionWords>& options) {
  for (const CLI::Option* option : command.get_options()) {
    OptionWords entry{{}, option->get_description()};
    for (const std::string& name : option->get_snames()) entry.flags.push_back(fmt::format("-{}", name));
    for (const std::string& name : option->get_lnames()) entry.flags.push_back(fmt::format("--{}", name));
    const bool known = std::ranges::any_of(options, [&](const OptionWords& other) {
      return !entry.flags.empty() && other.flags == entry.flags;
    });
    if (!entry.flags.empty() && !known) options.push_back(entry);
  }
}

// Options of a command's kinds ("compare tokens") count as the command's own.
CommandWords words_of(const CLI::App& command, bool with_kinds) {
  CommandWords words{command.get_name(), command.get_description(), {}, {}};
  add_options(command, words.options);
  if (!with_kinds) return words;
  for (const CLI::App* kind : command.get_subcommands(nullptr)) {
    words.kinds.push_back(kind->get_name());
    add_options(*kind, words.options);
  }
  return words;
}

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) commands.push_back(words_of(*command, true));
  return commands;
}

// In single quotes for any of the three shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string joined_flags(const CommandWords& command) {
  std::vector<std::string> flags = command.kinds;
  for (const OptionWords& option : command.options)
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  return fmt::format("{}", fmt::join(flags, " "));
}

std::string bash_script(const std::vector<CommandWords>& commands, const CommandWords& top) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += command.name + " ";
    cases += fmt::format("    {}) words={} ;;\n", command.name, quoted(joined_flags(command)));
  }
  return fmt::format(R"(# halfbyte completion for bash: source <(halfbyte completion bash)
_halfbyte() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  case ${{COMP_WORDS[1]}} in
{}    *) words={} ;;
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then words={}; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _halfbyte halfbyte
)",
                     cases, quoted(joined_flags(top)), quoted(names + joined_flags(top)));
}

// zsh's _arguments takes "--flag[description]"; brackets and colons in descriptions would end it early.
std::string zsh_spec(const std::string& flag, std::string description) {
  for (char& c : description) {
    if (c == '[' || c == ']' || c == ':') c = ' ';
  }
  return quoted(fmt::format("{}[{}]", flag, description));
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.name, command.description)));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const OptionWords& option : command.options) {
      for (const std::string& flag : option.flags) {
        cases += fmt::format(" {}", zsh_spec(flag, option.description));
      }
    }
    if (!command.kinds.empty()) cases += fmt::format(" '1:kind:({})'", fmt::join(command.kinds, " "));
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef halfbyte
# halfbyte completion for zsh: source <(halfbyte completion zsh)
_halfbyte() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
{}  esac
}}
compdef _halfbyte halfbyte
)",
                     names, cases);
}

std::string fish_option(const CommandWords& command, const OptionWords& option) {
  std::string line = fmt::format("complete -c halfbyte -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& flag : option.flags) {
    line += flag.starts_with("--") ? fmt::format(" -l {}", flag.substr(2))
                                   : fmt::format(" -s {}", flag.substr(1));
  }
  return fmt::format("{} -d {}\n", line, quoted(option.description));
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string script = "# halfbyte completion for fish: halfbyte completion fish | source\n";
  for (const CommandWords& command : commands) {
    script += fmt::format("complete -c halfbyte -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          quoted(command.description));
    for (const std::string& kind : command.kinds) {
      script +=
          fmt::format("complete -c halfbyte -n '__fish_seen_subcommand_from {}' -a {}\n", command.name, kind);
    }
    for (const OptionWords& option : command.options) script += fish_option(command, option);
  }
  return script;
}

}  // namespace

Result<std::string> completion_script(const CLI::App& app, const std::string& shell) {
  const auto commands = commands_of(app);
  if (shell == "bash") return bash_script(commands, words_of(app, false));
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is no shell that can be completed: bash, zsh, fish", shell));
}

}  // namespace hb
