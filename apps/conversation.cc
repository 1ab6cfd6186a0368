#include "apps/conversation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/text_input.h"

namespace hb {
namespace {

constexpr const char* kSchema = "halfbyte.messages/1";

bool is_message(const nlohmann::ordered_json& message) {
  return message.is_object() && message.contains("role") && message["role"].is_string() &&
         message.contains("content") && message["content"].is_string();
}

nlohmann::ordered_json message_of(const std::string& role, const std::string& content) {
  nlohmann::ordered_json message;
  message["role"] = role;
  message["content"] = content;
  return message;
}

Result<ChatTemplate> named_template(const std::string& name) {
  auto known = ChatTemplate::fallback(name);
  if (known || known.error().code != ErrorCode::kNotFound) return known;
  auto source = read_text_file(name);
  if (!source) return known;
  return ChatTemplate::parse(std::move(*source));
}

std::string spelling(const Tokenizer& tokenizer, std::optional<int32_t> id) {
  return id ? tokenizer.piece(*id, true) : std::string();
}

}  // namespace

bool Conversation::has_system() const { return !messages_.empty() && messages_[0]["role"] == "system"; }

void Conversation::add(const std::string& role, const std::string& content) {
  messages_.push_back(message_of(role, content));
}

void Conversation::set_system(const std::string& content) {
  if (has_system()) messages_.erase(0);
  if (!content.empty()) messages_.insert(messages_.begin(), message_of("system", content));
}

bool Conversation::remove_from_last(const std::string& role) {
  for (size_t i = messages_.size(); i-- > 0;) {
    if (messages_[i]["role"] != role) continue;
    messages_.erase(messages_.begin() + static_cast<ptrdiff_t>(i), messages_.end());
    return true;
  }
  return false;
}

bool Conversation::remove_oldest_turn() {
  const size_t first = has_system() ? 1 : 0;
  size_t end = first + 1;
  while (end < messages_.size() && messages_[end]["role"] != "user") ++end;
  if (end >= messages_.size()) return false;
  messages_.erase(messages_.begin() + static_cast<ptrdiff_t>(first),
                  messages_.begin() + static_cast<ptrdiff_t>(end));
  return true;
}

void Conversation::clear_turns() {
  const bool keep = has_system();
  messages_.erase(messages_.begin() + (keep ? 1 : 0), messages_.end());
}

Result<std::unique_ptr<NewFile>> Conversation::write(const std::string& path) const {
  const std::string text =
      nlohmann::ordered_json{{"schema", kSchema}, {"messages", messages_}}.dump(1) + '\n';
  HB_ASSIGN(auto file, NewFile::create(path));
  HB_TRY(file->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  HB_TRY(file->sync());
  return file;
}

Result<Conversation> Conversation::load(const std::string& path) {
  HB_ASSIGN(const std::string text, read_text_file(path));
  const auto file = nlohmann::ordered_json::parse(text, nullptr, false);
  const bool right = file.is_object() && file.contains("schema") && file["schema"] == kSchema &&
                     file.contains("messages") && file["messages"].is_array() &&
                     std::ranges::all_of(file["messages"], is_message);
  if (!right)
    return fail(ErrorCode::kBadFile, fmt::format("'{}' holds no messages of the form {}", path, kSchema));
  Conversation conversation;
  conversation.messages_ = file["messages"];
  return conversation;
}

void add_template_flag(CLI::App& command, std::string& chat_template) {
  command.add_option("--template", chat_template,
                     fmt::format("Chat template in place of the model's own: a file, or {}",
                                 fmt::join(ChatTemplate::fallback_names(), ", ")));
}

Result<PromptMaker> PromptMaker::create(const Model& model, bool raw, const std::string& chat_template) {
  PromptMaker maker(model);
  if (raw || (chat_template.empty() && model.chat_template_source().empty())) return maker;
  auto parsed = chat_template.empty() ? ChatTemplate::parse(model.chat_template_source())
                                      : named_template(chat_template);
  if (!parsed) return std::unexpected(parsed.error().within("chat template"));
  maker.template_ = std::move(*parsed);
  return maker;
}

Result<std::vector<int32_t>> PromptMaker::of_messages(const Conversation& conversation) const {
  const Tokenizer& tokenizer = model_->tokenizer();
  ChatRenderInput input;
  input.messages = conversation.messages();
  input.bos_token = spelling(tokenizer, tokenizer.bos());
  input.eos_token = spelling(tokenizer, tokenizer.eos());
  HB_ASSIGN(const std::string text, template_->render(input));
  // Most templates write the begin token themselves.
  const bool begins = !input.bos_token.empty() && text.starts_with(input.bos_token);
  return of_text(text, !begins);
}

Result<std::vector<int32_t>> PromptMaker::of_text(const std::string& text, bool begin) const {
  const Tokenizer& tokenizer = model_->tokenizer();
  HB_ASSIGN(std::vector<int32_t> ids, tokenizer.encode(text, {.add_special = false, .parse_special = true}));
  if (begin && tokenizer.adds_bos() && tokenizer.bos()) ids.insert(ids.begin(), *tokenizer.bos());
  return ids;
}

}  // namespace hb
