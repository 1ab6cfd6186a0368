#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/engine_options.h"
#include "apps/text_input.h"
#include "model/tokenizer.h"

namespace hb {
namespace {

constexpr const char* kExamples =
    "  halfbyte tokenize 'Hello, world'\n"
    "  halfbyte tokenize -f prompt.txt > ids.txt        one id a line, as 'compare tokens' wants it\n"
    "  halfbyte tokenize --special '<|im_start|>user'   tokens that are written out count as these\n"
    "  halfbyte tokenize --decode -f ids.txt";

struct Options {
  EngineOptions engine;
  TextSource text;
  bool decode = false;
  bool special = false;
  bool no_begin = false;
  bool json = false;
};

// Ids between spaces, line ends or commas.
Result<std::vector<int32_t>> parse_ids(const std::string& text, int32_t vocab_size) {
  constexpr const char* kSeparators = " \t\r\n,";
  std::vector<int32_t> ids;
  for (size_t begin = text.find_first_not_of(kSeparators); begin != text.npos;) {
    const size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, id);
    if (error != std::errc() || stop != text.data() + end || id < 0 || id >= vocab_size) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is no token id; there are the ids 0 to {}",
                                                           text.substr(begin, end - begin), vocab_size - 1));
    }
    ids.push_back(id);
    begin = text.find_first_not_of(kSeparators, end);
  }
  return ids;
}

// Pieces may end within a character: JSON has to be UTF-8, so such bytes become U+FFFD.
nlohmann::ordered_json to_json(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (const int32_t id : ids) pieces.push_back(tokenizer.piece(id, true));
  return {{"schema", "halfbyte.tokens/1"},
          {"ids", ids},
          {"pieces", std::move(pieces)},
          {"text", tokenizer.decode(ids, true)}};
}

Result<std::vector<int32_t>> ids_of(const Options& options, const Tokenizer& tokenizer,
                                    const std::string& text) {
  if (options.decode) return parse_ids(text, tokenizer.vocab_size());
  return tokenizer.encode(text, {.add_special = !options.no_begin, .parse_special = options.special});
}

Result<int> tokenize(const Options& options) {
  HB_ASSIGN(const std::string text, read_text(options.text, "text"));
  HB_ASSIGN(const Settings settings, load_settings(options.engine.settings));
  HB_ASSIGN(const std::string path, resolve_model(options.engine.model, settings));
  HB_ASSIGN(const auto file, GgufFile::open(path));
  HB_ASSIGN(const auto tokenizer, Tokenizer::from_gguf(*file));
  HB_ASSIGN(const std::vector<int32_t> ids, ids_of(options, *tokenizer, text));
  if (options.json) {
    fmt::print("{}\n",
               to_json(*tokenizer, ids).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (options.decode) {
    fmt::print("{}\n", tokenizer->decode(ids, true));
  } else {
    for (const int32_t id : ids) fmt::print("{}\n", id);
  }
  return kExitOk;
}

}  // namespace

void add_tokenize_command(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = line.add("tokenize", "Turn text into token ids, or back", kExamples,
                               [options] { return tokenize(*options); });
  add_text_source(command, options->text, "text", "The text; without it, it is read from standard input");
  add_model_flag(command, options->engine);
  command.add_flag("--decode", options->decode, "The text is token ids: print what they spell");
  command.add_flag("--special", options->special, "Control tokens that are written out are these tokens");
  command.add_flag("--no-begin", options->no_begin, "No begin and end tokens, even if the model wants them");
  command.add_flag("--json", options->json, "One JSON object: ids, pieces and text");
}

}  // namespace hb
