// The messages of a chat, and the tokens that a model wants to see for them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/new_file.h"
#include "engine/model.h"
#include "model/chat_template.h"

namespace hb {

class Conversation {
 public:
  void add(const std::string& role, const std::string& content);
  // Replaces or adds the first message, of the role "system"; an empty text removes it.
  void set_system(const std::string& content);
  // Removes everything from the last message of `role` on; returns whether there was one.
  bool remove_from_last(const std::string& role);
  // Removes the oldest question with its answer, but not the last question. Returns whether there was one.
  bool remove_oldest_turn();
  void clear_turns();  // all but the system message

  bool empty() const { return messages_.empty(); }
  const nlohmann::ordered_json& messages() const { return messages_; }

  // As a file, {"schema": "halfbyte.messages/1", "messages": […]}; a new one is on the disk, but for its
  // name. ERRORS: kIo, kNotFound, kBadFile.
  Result<std::unique_ptr<NewFile>> write(const std::string& path) const;
  static Result<Conversation> load(const std::string& path);

 private:
  bool has_system() const;

  nlohmann::ordered_json messages_ = nlohmann::ordered_json::array();
};

// --template.
void add_template_flag(CLI::App& command, std::string& chat_template);

// From text to the tokens of a prompt, through the model's own chat template or without any. BORROWS the
// model.
class PromptMaker {
 public:
  // `raw`: no template, even if there is one. `chat_template`, if not empty, comes in place of the model's
  // own: a name of ChatTemplate::fallback_names() or a file. ERRORS: kBadFile, kUnsupported (the template);
  // kNotFound.
  static Result<PromptMaker> create(const Model& model, bool raw, const std::string& chat_template);

  bool raw() const { return !template_.has_value(); }

  // REQUIRES: !raw(). ERRORS: kInvalidArgument (what the template refuses).
  Result<std::vector<int32_t>> of_messages(const Conversation& conversation) const;

  // The text as it is; tokens written out ("<|im_start|>") are these tokens. With `begin` it
  // starts with the model's begin token, if the model wants one. Never ends with an end token.
  Result<std::vector<int32_t>> of_text(const std::string& text, bool begin) const;

 private:
  explicit PromptMaker(const Model& model) : model_(&model) {}

  const Model* model_;
  std::optional<ChatTemplate> template_;
};

}  // namespace hb
