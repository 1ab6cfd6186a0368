// Known answers, one feature each; the broad comparison is tests/model/jinja_differential.
#include "model/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace hb {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::tm fixed_time() {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 6;
  time.tm_mday = 26;
  return time;
}

const Json kVariables = {
    {"x", 1}, {"xs", {1, 2, 3}}, {"d", {{"b", 1}, {"a", 2}}}, {"s", "Hello World"}, {"none_value", nullptr}};

// The text, or "ERROR " and the message.
std::string render(const std::string& source, const Json& variables = kVariables,
                   const jinja::Limits& limits = {}) {
  const auto parsed = ChatTemplate::parse(source);
  if (!parsed) return "ERROR " + parsed.error().message;
  const auto text = parsed->render(variables, fixed_time(), limits);
  return text ? *text : "ERROR " + text.error().message;
}

struct Golden {
  const char* source;
  const char* text;
};

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, Renders) { EXPECT_EQ(render(GetParam().source), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Whitespace, GoldenTest,
                         testing::Values(Golden{"a\n", "a"}, Golden{"a\n\n", "a\n"},
                                         Golden{"  {% if x %}\n  y\n  {% endif %}\nz", "  y\nz"},
                                         Golden{"a {%- if x -%} b {%- endif -%} c", "abc"},
                                         Golden{"  {%+ if x +%}\ny{% endif %}", "  \ny"},
                                         Golden{"{{ x }}\n{{- x }}", "11"},
                                         Golden{"{# c #}\n{% raw %}\n{{ x }}{% endraw %}\ny", "\n{{ x }}y"}));

INSTANTIATE_TEST_SUITE_P(
    Expressions, GoldenTest,
    testing::Values(
        Golden{"{{ 2 ** 3 ** 2 }} {{ 7 // -2 }} {{ -7 % 3 }} {{ 7 / 2 }}", "64 -4 2 3.5"},
        Golden{"{{ 1e16 }} {{ 1e15 }} {{ 0.1 + 0.2 }}", "1e+16 1000000000000000.0 0.30000000000000004"},
        Golden{"{{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 1 == true }}", "True False True"},
        Golden{"{{ [1, 'a', none, true, {'k': (1,)}] }}", "[1, 'a', None, True, {'k': (1,)}]"},
        Golden{"{{ xs[::-1] }}{{ xs[-2:] }}{{ s[4::-2] }}", "[3, 2, 1][2, 3]olH"},
        Golden{"{{ 'a' if x > 1 }}|{{ 'a' if x > 1 else 'b' }}", "|b"}, Golden{"{{ -x|abs }}", "1"},
        Golden{"{{ nope }}{{ nope ~ 1 }}{{ nope is defined }}", "1False"},
        Golden{"{{ '<'|e + '<' }}", "&lt;&lt;"}, Golden{"{{ 'x' in 'xyz' and 4 not in xs }}", "True"},
        Golden{"{{ d['items'] is callable }}", "True"},
        Golden{"{{ '%s-%04d-%.1f' % ('a', 7, 2.25) }}", "a-0007-2.2"}));

INSTANTIATE_TEST_SUITE_P(
    Statements, GoldenTest,
    testing::Values(
        Golden{"{% for i in xs if i != 2 %}{{ loop.index }}/{{ loop.length }}:{{ i }} {% endfor %}",
               "1/2:1 2/2:3 "},
        Golden{"{% for k, v in d.items() %}{{ k }}{{ v }}{{ ',' if not loop.last }}{% endfor %}", "b1,a2"},
        Golden{"{% for i in [] %}x{% else %}none{% endfor %}", "none"},
        Golden{"{% for i in xs %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "13"},
        Golden{"{% set x = 5 %}{% for i in xs %}{% set x = i %}{% endfor %}{{ x }}", "5"},
        Golden{"{% for i in xs %}[{{ x }}]{% endfor %}{% set x = 2 %}", "[][][]"},
        Golden{
            "{% set ns = namespace(n=0) %}{% for i in xs %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
            "6"},
        Golden{"{% macro f(a, b=2) %}{{ a }}{{ b }}{{ kwargs }}{% endmacro %}{{ f(1, c=3) }}", "12{'c': 3}"},
        Golden{"{% macro f() %}[{{ caller(4) }}]{% endmacro %}{% call(a) f() %}{{ a + x }}{% endcall %}",
               "[5]"},
        Golden{
            "{% set q | upper %}a{{ x }}{% endset %}{{ q }}{% filter replace('b', 'c') %}abc{% endfilter %}",
            "A1acc"},
        Golden{"{% generation %}a{% set x = 9 %}{% endgeneration %}{{ x }}", "a1"},
        Golden{"{% set a, b = 1, 2 %}{% with a = 7 %}{{ a }}{% endwith %}{{ a }}{{ b }}", "712"}));

INSTANTIATE_TEST_SUITE_P(
    FiltersAndTests, GoldenTest,
    testing::Values(
        Golden{"{{ {'é': [1.0, none], '\"': '\\n'}|tojson }}", "{\"é\": [1.0, null], \"\\\"\": \"\\n\"}"},
        Golden{"{{ {'a': [1, {}]}|tojson(indent=2) }}", "{\n  \"a\": [\n    1,\n    {}\n  ]\n}"},
        Golden{"{{ d|dictsort }}{{ xs|sum }}{{ xs|map('string')|join('-') }}", "[('a', 2), ('b', 1)]61-2-3"},
        Golden{"{{ [{'k': 1}, {}]|selectattr('k', 'defined')|map(attribute='k')|list }}", "[1]"},
        Golden{"{{ 'ß ﬁ'|upper }}{{ 'ΑΣ'|lower }}{{ 'a-b c'|title }}",
               "SS FIας"
               "A-B C"},
        Golden{"{{ 'a\nb\n\nc'|indent(2) }}", "a\n  b\n\n  c"},
        Golden{"{{ nope|default('d') }}{{ ''|d('e', true) }}", "de"},
        Golden{"{{ 2.5|round }}{{ 1.25|round(1) }}{{ '3.9'|int }}{{ 'z'|int(8) }}", "2.01.238"},
        Golden{"{{ 4 is divisibleby 2 }}{{ x is in xs }}{{ 'A' is upper }}{{ true is integer }}",
               "TrueTrueTrueFalse"},
        Golden{"{{ ' a b '.split() }}{{ 'a,b,c'.rsplit(',', 1) }}", "['a', 'b']['a,b', 'c']"},
        Golden{"{{ strftime_now('%d %b %Y') }}", "26 Jul 2024"}));

struct Failure {
  const char* source;
  const char* message;
};

class FailureTest : public testing::TestWithParam<Failure> {};

TEST_P(FailureTest, NamesLineAndCause) {
  const std::string answer = render(GetParam().source);
  EXPECT_THAT(answer, testing::StartsWith("ERROR chat template: line "));
  EXPECT_THAT(answer, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, FailureTest,
                         testing::Values(Failure{"a\n\n{{ raise_exception('roles must alternate') }}",
                                                 "line 3: the template refuses: roles must alternate"},
                                         Failure{"\n{{ nope.x }}", "line 2: 'nope' is undefined"},
                                         Failure{"{{ xs.append(1) }}", "has no attribute 'append'"},
                                         Failure{"{{ 1 + 'a' }}", "unsupported operand"},
                                         Failure{"\n{{ x", "line 2: '{{' is not closed"},
                                         Failure{"{% if x %}\n", "expected '{% endif %}'"},
                                         Failure{"\n\n{{ x|nope }}", "line 3: there is no filter 'nope'"},
                                         Failure{"{% include 'x' %}", "the tag 'include' is not supported"},
                                         Failure{"{{ x is nope }}", "there is no test 'nope'"},
                                         Failure{"{{ 9223372036854775807 + 1 }}", "beyond 64 bits"},
                                         Failure{"{% break %}", "outside of a loop"}));

INSTANTIATE_TEST_SUITE_P(
    Limits, FailureTest,
    testing::Values(
        Failure{"{{ 'x' * 1000000000 }}", "bytes in a value"},
        Failure{"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "steps"},
        Failure{"{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}", "levels of nesting"},
        Failure{"{{ range(100001) }}", "range() is longer"},
        Failure{"{% set s = 'x' * 9999999 %}{{ s }}{{ s }}", "bytes of output"},
        Failure{"{% set ns = namespace(v=[]) %}{% for i in range(1000) %}{% set ns.v = [ns.v] %}{% endfor %}",
                "nests deeper"},
        Failure{"{% set ns = namespace(v=[]) %}{% for i in range(9999) %}{% set ns.v = ns.v + [i] * 99 %}{% "
                "endfor %}",
                "bytes"},
        Failure{"{{ ''|center(99999999) }}", "bytes in a value"},
        Failure{"{{ ('a' * 9999)|replace('a', 'b' * 9999) }}", "bytes"}));

TEST(ChatTemplate, DeepSyntaxIsAnErrorNotACrash) {
  EXPECT_THAT(render(std::string(100'000, '{') + "{ " + std::string(100'000, '(')), HasSubstr("ERROR"));
  EXPECT_THAT(render("{{ " + std::string(1000, '(') + std::string(1000, ')') + " }}"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(render("{{ " + std::string(1000, '-') + "1 }}"), HasSubstr("nested deeper"));
  std::string sum = "{{ 1";
  for (int i = 0; i < 20'000; ++i) sum += "+1";
  EXPECT_THAT(render(sum + " }}"), HasSubstr("nested deeper"));
  std::string ifs;
  for (int i = 0; i < 1000; ++i) ifs += "{% if x %}";
  EXPECT_THAT(render(ifs), HasSubstr("nested deeper"));
}

TEST(ChatTemplate, NamespacesMayFormCycles) {
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.self = ns %}{{ ns.self.self is defined }}"), "True");
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.self = ns %}{{ ns }}"),
            "<Namespace {'self': <Namespace {...}>}>");
}

TEST(ChatTemplate, EveryTruncationIsHandled) {
  const std::string source =
      "{% macro f(a, b='x') -%} {{ a[1:2]|join(', ') ~ {'k': [1.5]} }} {%- endmacro %}{# c #}{% raw %}{{{% "
      "endraw %}"
      "{% for i in xs if i is odd %}{% set q %}{{ f(i) }}{% endset %}{% endfor %}";
  for (size_t size = 0; size <= source.size(); ++size) render(source.substr(0, size));
}

ChatRenderInput conversation() {
  ChatRenderInput input;
  input.messages =
      Json::parse(R"([{"role": "system", "content": "S"}, {"role": "user", "content": " Hi "}])");
  input.bos_token = "<s>";
  return input;
}

TEST(ChatTemplate, Fallbacks) {
  const auto text = [](const char* name) {
    return ChatTemplate::fallback(name)->render(conversation()).value();
  };
  EXPECT_EQ(text("chatml"),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(text("llama3"),
            "<s><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_"
            "id|>\n\nHi"
            "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(text("gemma"), "<s><start_of_turn>user\nS\n\nHi<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_EQ(ChatTemplate::fallback("nope").error().code, ErrorCode::kNotFound);
}

TEST(ChatTemplate, InputBecomesVariables) {
  ChatRenderInput input = conversation();
  input.extra = {{"enable_thinking", false}, {"bos_token", "<b>"}};
  const auto parsed = ChatTemplate::parse(
      "{{ bos_token }}{{ tools }}{{ enable_thinking }}{{ add_generation_prompt }}{{ messages|length }}");
  EXPECT_EQ(parsed->render(input).value(), "<b>NoneFalseTrue2");
}

TEST(ChatTemplate, RendersInSeveralThreads) {
  const auto parsed = ChatTemplate::fallback("gemma");
  const std::string expected = parsed->render(conversation()).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_EQ(parsed->render(conversation()).value(), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace hb
