// Chat templates: messages to a prompt.
#include <fmt/format.h>

#include "api/api_error.h"
#include "api/copy_out.h"
#include "api/handles.h"
#include "api/sized_struct.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr hb_chat_options kDefaults = {
    .struct_size = sizeof(hb_chat_options),
    .template_source = nullptr,
    .template_name = nullptr,
    .tools_json = nullptr,
    .variables_json = nullptr,
    .add_generation_prompt = 1,
    .reserved = 0,
};

Result<ChatTemplate> choose_template(const hb_model& model, const hb_chat_options& options) {
  if (options.template_source != nullptr && options.template_name != nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                "template_source and template_name are both set; give one of them");
  }
  if (options.template_source != nullptr) return ChatTemplate::parse(options.template_source);
  if (options.template_name != nullptr) return ChatTemplate::fallback(options.template_name);
  return model.chat_template;
}

Result<Json> parse_json(const char* text, const char* name, Json::value_t type) {
  if (text == nullptr) return Json(type);
  Json json = Json::parse(text, nullptr, false);
  if (json.type() == type) return json;
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} is no JSON {}", name, Json(type).type_name()));
}

Result<Json> messages_of(std::span<const hb_message> messages) {
  auto array = Json::array();
  for (size_t i = 0; i < messages.size(); ++i) {
    HB_TRY(not_null(messages[i].role, fmt::format("the role of message {}", i).c_str()));
    HB_TRY(not_null(messages[i].content, fmt::format("the content of message {}", i).c_str()));
    array.push_back({{"role", messages[i].role}, {"content", messages[i].content}});
  }
  return array;
}

std::string spelling(const Vocab& vocab, std::optional<int32_t> id) {
  return id ? std::string(vocab.text(*id)) : std::string();
}

Result<std::string> render(const hb_model& model, std::span<const hb_message> messages,
                           const hb_chat_options& options) {
  HB_TRY(is_switch(options.add_generation_prompt, "add_generation_prompt"));
  HB_TRY(is_zero(options.reserved, "reserved"));
  HB_ASSIGN(const ChatTemplate chat, choose_template(model, options));
  ChatRenderInput input;
  HB_ASSIGN(input.messages, messages_of(messages));
  if (options.tools_json != nullptr) {
    HB_ASSIGN(input.tools, parse_json(options.tools_json, "tools_json", Json::value_t::array));
  }
  HB_ASSIGN(input.extra, parse_json(options.variables_json, "variables_json", Json::value_t::object));
  input.add_generation_prompt = options.add_generation_prompt != 0;
  const Vocab& vocab = model.model->tokenizer().vocab();
  input.bos_token = spelling(vocab, vocab.special().bos);
  input.eos_token = spelling(vocab, vocab.special().eos);
  return chat.render(input);
}

}  // namespace
}  // namespace hb::api

using namespace hb::api;

hb_status hb_chat_options_init(hb_chat_options* options, size_t struct_size) {
  return guarded(nullptr, [&]() -> ApiStatus {
    HB_TRY(not_null(options, "options"));
    return write_struct(kDefaults, struct_size, options, "hb_chat_options");
  });
}

hb_status hb_apply_chat_template(const hb_model* model, const hb_message* messages, size_t message_count,
                                 const hb_chat_options* options, char* text, size_t capacity, size_t* length,
                                 hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(is_array(messages, message_count, "messages"));
    HB_ASSIGN(const hb_chat_options known, read_struct(options, kDefaults, "hb_chat_options"));
    HB_ASSIGN(const std::string prompt, render(*model, {messages, message_count}, known));
    return copy_text(prompt, text, capacity, length);
  });
}
