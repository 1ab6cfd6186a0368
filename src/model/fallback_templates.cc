#include "model/fallback_templates.h"

namespace hb {
namespace {

constexpr std::string_view kChatml = R"({%- for message in messages -%}
{{ '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";

constexpr std::string_view kLlama3 = R"({{- bos_token }}
{%- for message in messages %}
  {{- '<|start_header_id|>' ~ message.role ~ '<|end_header_id|>\n\n' ~ message.content | trim ~ '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %})";

// Gemma has no system role: its text is put in front of the first user's.
constexpr std::string_view kGemma = R"({{- bos_token }}
{%- set state = namespace(system='') %}
{%- for message in messages %}
  {%- if message.role == 'system' %}
    {%- set state.system = message.content ~ '\n\n' %}
  {%- else %}
    {{- '<start_of_turn>' ~ ('model' if message.role == 'assistant' else message.role) ~ '\n' }}
    {{- state.system ~ message.content | trim ~ '<end_of_turn>\n' }}
    {%- set state.system = '' %}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<start_of_turn>model\n' }}
{%- endif %})";

constexpr FallbackTemplate kTemplates[] = {{"chatml", kChatml}, {"llama3", kLlama3}, {"gemma", kGemma}};

}  // namespace

std::span<const FallbackTemplate> fallback_templates() { return kTemplates; }

}  // namespace hb
