// Any bytes as a chat template: they may fail, within small limits, and must not crash, hang or leak.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto variables = nlohmann::ordered_json::parse(R"({
    "messages": [{"role": "user", "content": "Hi é"}, {"role": "assistant", "content": null, "tool_calls": [{"n": 1.5}]}],
    "tools": null, "bos_token": "<s>", "add_generation_prompt": true, "xs": [3, 1, 2], "s": "aXbXc"})");
  const hb::jinja::Limits limits{.steps = 20'000,
                                 .value_bytes = 1 << 16,
                                 .memory_bytes = 1 << 22,
                                 .output_bytes = 1 << 16,
                                 .depth = 100};
  const auto parsed = hb::ChatTemplate::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (parsed) static_cast<void>(parsed->render(variables, std::tm{}, limits));
  return 0;
}
