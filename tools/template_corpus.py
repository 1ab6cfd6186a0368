"""Templates in the manner of the families that halfbyte runs (our own words), conversations, and nasty snippets."""

CHATML = """{%- if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nYou are helpful.<|im_end|>\\n' }}{% endif %}
{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content']|string + '<|im_end|>' + '\\n'}}{% endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""

HEADERS_WITH_TOOLS = """{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|head|>system<|/head|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Today: " + date_string + "\\n\\n" }}
{%- if tools is not none and not tools_in_user_message %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot|>" }}
{%- if tools_in_user_message and tools is not none %}
    {%- if messages | length != 0 %}
        {%- set first_user_message = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("No first user message to put the tools in") }}
    {%- endif %}
    {{- '<|head|>user<|/head|>\\n\\nFunctions:\\n' }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
    {{- first_user_message + "<|eot|>"}}
{%- endif %}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|head|>' + message['role'] + '<|/head|>\\n\\n'+ message['content'] | trim + '<|eot|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("Only one tool call at a time") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|head|>assistant<|/head|>\\n\\n{"name": "' + tool_call.name + '", "parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}<|eot|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|head|>ipython<|/head|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|head|>assistant<|/head|>\\n\\n' }}
{%- endif %}
"""

THINKING = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or reasoning_content) %}
            {{- '<|im_start|>assistant\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}{{- '\\n' }}{%- endif %}
                {%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
                {{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}
                {%- if tool_call.arguments is string %}{{- tool_call.arguments }}{%- else %}{{- tool_call.arguments | tojson }}{%- endif %}
                {{- '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' + content + '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""

TURNS = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\\n\\n' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}{{ '<image>' }}{%- elif item['type'] == 'text' -%}{{ item['text'] | trim }}{%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '</turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<turn>model\\n'}}
{%- endif -%}
"""

INSTRUCT = """{%- set sys = messages | selectattr('role', 'equalto', 'system') | map(attribute='content') | list %}
{%- set users = messages | rejectattr("role", "eq", "system") | list %}
{{- bos_token }}
{%- for m in users %}
  {%- if m.role == 'user' %}
    {%- if loop.last and sys %}{{ '[INST] ' ~ sys | join('\\n') ~ '\\n\\n' ~ m.content ~ '[/INST]' }}
    {%- else %}{{ '[INST] ' ~ m.content ~ '[/INST]' }}{%- endif %}
  {%- elif m.tool_calls is defined and m.tool_calls is not none %}
    {{- "[TOOL_CALLS] [" }}
    {%- for call in m.tool_calls %}
      {%- set out = call.function | tojson %}
      {{- out[:-1] }}{{- ', "id": "' + call.id|string + '"}' }}{{ ", " if not loop.last else "]" ~ eos_token }}
    {%- endfor %}
  {%- elif m.role == 'assistant' %}{% generation %}{{ ' ' + m.content|trim + eos_token }}{% endgeneration %}
  {%- else %}{{ '[TOOL_RESULTS] ' ~ {'content': m.content, 'call_id': m.id} | tojson ~ '[/TOOL_RESULTS]' }}
  {%- endif %}
{%- endfor %}"""

MACROS = """{% macro param_type(spec, depth=0) -%}
  {%- if spec is mapping and spec.type is defined -%}
    {%- if spec.type == 'array' -%}{{ 'List[' ~ param_type(spec['items'], depth + 1) ~ ']' }}
    {%- elif spec.type == 'object' and spec.properties -%}
      {
      {%- for key, value in spec.properties.items() -%}
        {{ key }}: {{ param_type(value, depth=depth + 1) }}{{ ', ' if not loop.last }}
      {%- endfor -%}
      }
    {%- elif spec.enum -%}{{ spec.enum | map('tojson') | join(' | ') }}
    {%- else -%}{{ {'string': 'str', 'integer': 'int', 'number': 'float', 'boolean': 'bool'}.get(spec.type, spec.type) }}
    {%- endif -%}
  {%- else -%}Any{%- endif -%}
{%- endmacro %}
{% macro section(title) %}## {{ title | title }}
{{ caller('of ' ~ title) | indent(2, first=true) }}
{% endmacro %}
{%- for tool in tools or [] %}
{%- set f = tool.function %}
def {{ f.name }}({% for name, spec in f.parameters.properties | dictsort %}{{ name }}: {{ param_type(spec) }}{% if name not in f.parameters.get('required', []) %} = None{% endif %}{% if not loop.last %}, {% endif %}{% endfor %}):
    \"\"\"{{ f.description | default('none') | replace('\\n', ' ') }}\"\"\"
{% endfor -%}
{% for role, group in [('user', messages | selectattr('role', 'eq', 'user') | list), ('tool', messages | selectattr('role', 'eq', 'tool'))] %}
{% call(what) section(role) %}{{ what }}
{% for m in group %}{% if m.content is not string %}{% continue %}{% endif %}{{ loop.index }}. {{ m.content[:20] | upper }}{{ '...' if m.content | length > 20 }}
{% endfor %}{% endcall %}
{% endfor %}
{{ messages | map(attribute='role') | unique | sort | join(',') }} {{ messages[-1]['role'] }} {{ messages | length }}"""

ALTERNATING = """{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}
{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='') %}
{%- for message in messages %}{%- if message['role'] == 'system' %}{% set ns.system_prompt = message['content'] %}{%- endif %}{%- endfor %}
{{bos_token}}{{ns.system_prompt}}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<|U|>' + message['content']|string}}{%- endif %}
{%- if message['role'] == 'assistant' and message['content'] is none %}
{%- set ns.is_tool = false -%}
{%- for tool in message['tool_calls']%}
{%- if not ns.is_first %}{{'<|A|><calls><call>' + tool['type'] + '<sep>' + tool['function']['name'] + '\\n' + '```json' + '\\n' + tool['function']['arguments']|tojson + '\\n' + '```' + '<end>'}}{%- set ns.is_first = true -%}
{%- else %}{{'\\n' + '<call>' + tool['type'] + '<sep>' + tool['function']['name']}}{%- endif %}
{%- endfor %}
{%- endif %}
{%- if message['role'] == 'assistant' and message['content'] is not none %}
{%- if ns.is_tool %}{{'<outs_end>' + message['content'] + '<eos>'}}{%- set ns.is_tool = false -%}
{%- else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}{{'<|A|>' + content + '<eos>'}}{%- endif %}
{%- endif %}
{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}
{%- if ns.is_output_first %}{{'<outs><out>' + message['content']|string + '<end>'}}{%- set ns.is_output_first = false %}
{%- else %}{{'\\n<out>' + message['content']|string + '<end>'}}{%- endif %}
{%- endif %}
{%- endfor -%}
{% if ns.is_tool %}{{'<outs_end>'}}{% endif %}{% if add_generation_prompt and not ns.is_tool %}{{'<|A|>'}}{% endif %}"""

FAMILIES = {"chatml": CHATML, "headers": HEADERS_WITH_TOOLS, "thinking": THINKING, "turns": TURNS, "instruct": INSTRUCT,
            "macros": MACROS, "alternating": ALTERNATING}

TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Weather of a \"city\"\nnow", "parameters": {"type": "object", "properties": {
        "city": {"type": "string", "description": "Zürich & <b>"}, "unit": {"type": "string", "enum": ["C", "F"]},
        "days": {"type": "array", "items": {"type": "integer"}},
        "where": {"type": "object", "properties": {"lat": {"type": "number"}, "ok": {"type": "boolean"}}}}, "required": ["city"]}}}]

CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": 12, "type": "function", "function": {
    "name": "get_weather", "arguments": {"city": "東京", "days": [1, 2], "x": 1.5e-7, "none": None, "y": True}}}]}

TALKS = [
    [],
    [{"role": "user", "content": "Hi"}],
    [{"role": "system", "content": " Be brief.\n"}, {"role": "user", "content": "  Hi \U0001F30A\n\n"}],
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nb"}, {"role": "user", "content": "c"}],
    [{"role": "user", "content": "w?"}, CALL, {"role": "tool", "content": "22 C", "id": 1}, {"role": "tool", "content": "{}", "id": "z"},
     {"role": "assistant", "content": "It is 22", "reasoning_content": "\nread it\n"}, {"role": "user", "content": "thanks"}],
    [{"role": "user", "content": [{"type": "text", "text": " see "}, {"type": "image"}]}, {"role": "assistant", "content": "ok"}],
    [{"role": "system", "content": "S"}, {"role": "user", "content": "q"}, CALL, {"role": "tool", "content": {"t": [1, 2.0]}, "id": 3}],
    [{"role": "assistant", "content": "first"}, {"role": "user", "content": "x" * 50}],
]


def conversations():
    """Variables for a template: every talk with and without tools, prompt, thinking."""
    for talk in TALKS:
        for tools in (None, TOOLS):
            for number, extra in enumerate(({}, {"enable_thinking": False}, {"tools_in_user_message": False, "date_string": "1 Jan 2020"})):
                yield {"messages": talk, "tools": tools, "add_generation_prompt": number != 1, "bos_token": "<s>", "eos_token": "</s>",
                       **extra}


NASTY = [(template, {"x": 1, "xs": [1, 2, 3], "d": {"a": 1, "items": 2}, "s": "é\u0301ß"}) for template in [
    "", "\n", "\n\n", "a\r\nb\rc\n", "{{ x }}\n", "{{ x }}\n\n", "  {% if x %}\n  y\n  {% endif %}\n  z", "a {%- if x -%} b {%- endif -%} c",
    "  {%+ if x %}y{% endif +%}\n z", "{# c #}\nx", "  {# c #}  x", "{#- c -#}  x", "{# {{ }} #}{#-#}", "{% raw %}\n {{ x }} {% endraw %}\n y",
    "{%- raw -%}  {% x %}  {%- endraw -%}  y", "{{ '}}' }}", "{{ {'a': {'b': 1}}}}", "{{ \"%}\" }}", "{{ '\\'' ~ \"\\\"\" ~ '\\x41\\u00e9\\101\\q' }}",
    "{{ 'a' 'b' }}", "{{ 1, 2 }}", "{{ () }}", "{{ (1,) }}", "{{ x.y }}", "{{ x.y.z }}", "{{ nope }}", "{{ nope.y }}", "{{ nope['y'] }}",
    "{{ nope is defined }}", "{{ nope + 1 }}", "{{ nope ~ 1 }}", "{{ nope|upper }}", "{% for a in nope %}{% else %}e{% endfor %}", "{{ nope() }}",
    "{{ d.items }}{{ d['items'] }}" if False else "{{ d['items'] }}", "{{ d.items() }}", "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{{ s|length }}{{ s[::-1] }}{{ s[0] }}{{ s.upper() }}{{ s|title }}", "{{ xs[5] }}{{ xs[-1] }}{{ xs[1:] }}{{ xs[::-2] }}", "{{ xs['a'] }}",
    "{{ xs[1:'a'] }}", "{{ 2 ** 3 ** 2 }}{{ -2 ** 2 }}{{ 7 // -2 }}{{ -7 % 3 }}{{ 7 / 2 }}{{ 1e16 }}{{ 1e15 }}{{ 0.1 + 0.2 }}{{ -0.0 }}",
    "{{ 1 < 2 < 3 }}{{ 3 > 2 > 2 }}{{ 1 == 1.0 == true }}", "{{ not x == 1 }}{{ x is not none and x is integer }}", "{{ x if x > 1 }}", "{{ 'a' if x else }}",
    "{% if %}{% endif %}", "{% if x %}", "{% endif %}", "{% for x in %}{% endfor %}", "{{ x", "{{ 'x }}", "{% raw %}", "{# c", "{% unknown %}", "{{ x | nofilter }}",
    "{% if 0 %}{{ x | nofilter }}{% endif %}ok", "{{ x|nofilter if 0 else 1 }}", "{% if 0 %}{% for a in xs %}{{ a|nofilter }}{% endfor %}{% endif %}", "{{ x is notest }}",
    "{% set x = 5 %}{% for i in xs %}{% set x = i %}{{ x }}{% endfor %}{{ x }}", "{% for i in xs %}{{ x }}{% endfor %}{% set x = 2 %}", "{{ x }}{% set x = 2 %}{{ x }}",
    "{% if 0 %}{% set x = 3 %}{% endif %}{{ x }}", "{% for i in xs %}{% if i == 2 %}{% set q = i %}{% endif %}{{ q }}{% endfor %}{{ q }}",
    "{% macro f(a, b=2) %}{{ a }}{{ b }}{{ x }}{% endmacro %}{{ f(1) }}{{ f(b=3) }}{% set x = 9 %}{{ f(1, 4) }}", "{% macro f() %}{{ f.name }}{% endmacro %}{{ f() }}{{ f }}",
    "{% for i in xs %}{% for j in xs %}{{ loop.index }}{{ loop.last }}{% endfor %}{{ loop.index }}{% endfor %}", "{{ loop }}", "{% for loop in xs %}{% endfor %}",
    "{% for i in xs if i > 1 %}{{ loop.index }}/{{ loop.length }}{% endfor %}", "{% for i in xs %}{% break %}{% endfor %}{% break %}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a, b = xs %}", "{% set x.y = 1 %}", "{% set ns = namespace(a=1) %}{% for i in xs %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns.b }}", "{{ namespace(a=1) }}",
    "{{ [1, 'a', none, true, 1.0, {'k': [x]}] }}", "{{ \"it's\" }}{{ [\"it's\", 'q\"', '\\n\\t\\\\', '\\x7f\\u200b'] }}", "{{ xs|map('string')|join(',') }}", "{{ xs|join }}",
    "{{ '<' | e }}{{ '<' | e + '<' }}{{ ('<'|safe) ~ '<' }}", "{{ range(3) }}{{ range(1, 9, 3)|list }}{{ range(10)[2:5] }}{{ range(200000) }}", "{{ 'a' * 3 }}{{ [1] * 2 }}{{ 2 * 'b' }}",
    "{{ 'a' in 'abc' }}{{ 1 in xs }}{{ 'a' in d }}{{ 1 not in xs }}{{ 1 in 'a' }}", "{{ xs|tojson }}{{ d|tojson(indent=2) }}{{ s|tojson }}{{ nope|tojson }}", "{{ 1.5|int }}{{ '3.7'|int }}{{ 'a'|int(9) }}",
    "{{ x is divisibleby 1 }}{{ x is in xs }}{{ x is not in xs }}", "{{ x is number is string }}", "{{ -x|abs }}{{ (-x)|abs }}", "{{ xs.append(1) }}", "{{ xs.__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ d._x }}",
    "{{ raise_exception('stop') }}", "{{ strftime_now('%Y-%m-%d %H:%M') }}", "{% filter upper %}a{{ x }}{% endfilter %}", "{% set q | upper %}a{{ x }}{% endset %}{{ q }}", "{% with a = 1 %}{{ a }}{% endwith %}{{ a }}",
    "{% macro f() %}[{{ caller(1) }}]{% endmacro %}{% call(a) f() %}{{ a }}{{ x }}{% endcall %}", "{% macro f() %}{% endmacro %}{% call f() %}{% endcall %}", "{{ 'x' is defined }}", "{{ x.0 }}{{ xs.0 }}{{ xs.0.1 }}", "{{ 0x1F + 0b11 + 0o7 + 1_000 }}",
    "{{ [1,2,] }}{{ {'a':1,} }}{{ (1,2,) }}", "{{ f(1,) }}", "{{ {1: 2}[1] }}{{ {1: 2}['1'] }}", "{{ {'a': 1, 'a': 2} }}", "{{ {[]: 1} }}", "{% set a = [] %}{{ a is sameas a }}", "{{ d == {'items': 2, 'a': 1} }}", "{{ x = 1 }}", "{%if x%}1{%endif%}",
]]
