// Renders many templates in one process, for tools/compare_templates.py.
// Each line of the input is JSON {"template": string, "variables": object}; each line of the output is
// {"text": string} or {"error": string}. The clock stands at 2024-07-26 09:05:03.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "model/chat_template.h"

namespace {

using Json = nlohmann::ordered_json;

std::tm fixed_time() {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 6;
  time.tm_mday = 26;
  time.tm_wday = 5;
  time.tm_yday = 207;
  time.tm_hour = 9;
  time.tm_min = 5;
  time.tm_sec = 3;
  return time;
}

hb::Result<std::string> render(const Json& test) {
  HB_ASSIGN(const auto parsed, hb::ChatTemplate::parse(test["template"].get<std::string>()));
  return parsed.render(test["variables"], fixed_time(), hb::jinja::Limits{});
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto text = render(Json::parse(line));
    const Json answer = text ? Json{{"text", *text}} : Json{{"error", text.error().message}};
    std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
}
