// A model's chat template: messages in, the prompt's text out.
#pragma once

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/jinja/ast.h"
#include "model/jinja/limits.h"

namespace hb {

// What a template sees: each field is a variable of the same name.
struct ChatRenderInput {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();  // of {"role", "content", …}
  nlohmann::ordered_json tools;                                       // an array; null: the variable is None
  nlohmann::ordered_json documents;                                   // likewise
  bool add_generation_prompt = true;
  std::string bos_token;
  std::string eos_token;
  // More variables, such as {"enable_thinking": false}. They replace those above of the same name.
  nlohmann::ordered_json extra = nlohmann::ordered_json::object();
  std::optional<std::tm> local_time;  // for strftime_now(); empty: this machine's clock
};

// A parsed template in Jinja's language, rendered as Python's transformers does: sandboxed, trim_blocks and
// lstrip_blocks on, with break and continue, raise_exception(), strftime_now() and {% generation %}.
// THREADS: immutable; any number of threads may render at once.
class ChatTemplate {
 public:
  // ERRORS: kBadFile (syntax) and kUnsupported (a tag, filter or size beyond this engine), both with the
  // line.
  static Result<ChatTemplate> parse(std::string source);

  // One of fallback_names(), for models that bring no template.
  // ERRORS: kNotFound, naming the known ones.
  static Result<ChatTemplate> fallback(std::string_view name);
  static std::vector<std::string_view> fallback_names();

  // ERRORS: kInvalidArgument with the line: what Python would raise, and raise_exception() with its message;
  // kUnsupported for a limit (jinja/limits.h), named in the message.
  Result<std::string> render(const ChatRenderInput& input) const;
  // The same with variables only: an object whose members are the template's variables.
  Result<std::string> render(const nlohmann::ordered_json& variables, const std::tm& local_time,
                             const jinja::Limits& limits) const;

  const std::string& source() const { return source_; }

 private:
  ChatTemplate(std::string source, std::shared_ptr<const jinja::Template> parsed)
      : source_(std::move(source)), parsed_(std::move(parsed)) {}

  std::string source_;
  std::shared_ptr<const jinja::Template> parsed_;
};

}  // namespace hb
