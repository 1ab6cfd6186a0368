#include "model/chat_template.h"

#include <fmt/format.h>

#include "model/fallback_templates.h"
#include "model/jinja/interpreter.h"
#include "model/jinja/parser.h"

namespace hb {
namespace {

using jinja::Kind;
using jinja::Value;
using Json = nlohmann::ordered_json;

Result<Value> to_value(const Json& json, uint32_t depth);

Result<Value> to_list(const Json& json, uint32_t depth) {
  auto object = std::make_shared<jinja::ListObject>();
  for (const Json& element : json) {
    HB_ASSIGN(Value value, to_value(element, depth + 1));
    object->depth = std::max(object->depth, value.depth() + 1);
    object->items.push_back(std::move(value));
  }
  return Value::of(Kind::kList, std::move(object));
}

Result<jinja::DictObject> to_dict(const Json& json, uint32_t depth) {
  jinja::DictObject dict;
  for (const auto& [key, element] : json.items()) {
    auto value = to_value(element, depth + 1);
    if (!value) return std::unexpected(value.error().within(key));
    dict.depth = std::max(dict.depth, value->depth() + 1);
    dict.set(Value::string(key), std::move(*value));
  }
  return dict;
}

Result<Value> to_value(const Json& json, uint32_t depth) {
  if (depth > jinja::kMaxValueDepth) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the JSON nests deeper than the limit of {}", jinja::kMaxValueDepth));
  }
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::boolean(json.get<bool>());
    case Json::value_t::number_integer:
      return Value::integer(json.get<int64_t>());
    case Json::value_t::number_float:
      return Value::real(json.get<double>());
    case Json::value_t::string:
      return Value::string(json.get_ref<const std::string&>());
    case Json::value_t::array:
      return to_list(json, depth);
    case Json::value_t::object: {
      HB_ASSIGN(jinja::DictObject dict, to_dict(json, depth));
      return Value::of(Kind::kDict, std::make_shared<jinja::DictObject>(std::move(dict)));
    }
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() <= INT64_MAX)
        return Value::integer(static_cast<int64_t>(json.get<uint64_t>()));
      return fail(ErrorCode::kUnsupported,
                  fmt::format("the integer {} does not fit 64 bits", json.get<uint64_t>()));
    default:
      return Value::none();
  }
}

std::tm local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return local;
}

}  // namespace

Result<ChatTemplate> ChatTemplate::parse(std::string source) {
  auto parsed = jinja::parse_template(source);
  if (!parsed) return std::unexpected(parsed.error().within("chat template"));
  return ChatTemplate(std::move(source), std::move(*parsed));
}

Result<ChatTemplate> ChatTemplate::fallback(std::string_view name) {
  for (const FallbackTemplate& row : fallback_templates()) {
    if (row.name == name) return parse(std::string(row.source));
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no built-in chat template '{}'; there are {}", name,
                                                fmt::join(fallback_names(), ", ")));
}

std::vector<std::string_view> ChatTemplate::fallback_names() {
  std::vector<std::string_view> names;
  for (const FallbackTemplate& row : fallback_templates()) names.push_back(row.name);
  return names;
}

Result<std::string> ChatTemplate::render(const ChatRenderInput& input) const {
  if (!input.extra.is_object())
    return fail(ErrorCode::kInvalidArgument, "the extra template variables must be an object");
  Json variables = {{"messages", input.messages},   {"tools", input.tools},
                    {"documents", input.documents}, {"add_generation_prompt", input.add_generation_prompt},
                    {"bos_token", input.bos_token}, {"eos_token", input.eos_token}};
  for (const auto& [name, value] : input.extra.items()) variables[name] = value;
  return render(variables, input.local_time ? *input.local_time : local_now(), jinja::Limits{});
}

Result<std::string> ChatTemplate::render(const Json& variables, const std::tm& local_time,
                                         const jinja::Limits& limits) const {
  auto dict = to_dict(variables, 0);
  if (!dict) return std::unexpected(dict.error().within("chat template variables"));
  auto text = jinja::Interpreter(*parsed_, *dict, limits, local_time).run();
  if (!text) return std::unexpected(text.error().within("chat template"));
  return text;
}

}  // namespace hb
