#include "model/pretokenizer_rules.h"

#include <algorithm>

// Character sets, to be used inside [ ]. They are spelled out where PCRE2 and the models' own tokenizers
// (Unicode 16) differ, so that ids do not depend on the Unicode version of the PCRE2 that is installed.
// PCRE2's \s also has U+180E, which stopped being a space in Unicode 6.3.
#define HB_SPACE                                                                                           \
  "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{" \
  "3000}"
// Letters, numbers and punctuation; what is listed came after Unicode 14 (PCRE2 10.42).
#define HB_LETTER                                                                                       \
  "\\p{L}"                                                                                              \
  "\\x{1c89}-\\x{1c8a}\\x{a7cb}-\\x{a7cd}\\x{a7da}-\\x{a7dc}\\x{105c0}-\\x{105f3}\\x{10d4a}-\\x{10d65}" \
  "\\x{10d6f}-\\x{10d85}\\x{10ec2}-\\x{10ec4}\\x{1123f}-\\x{11240}\\x{11380}-\\x{11389}\\x{1138b}"      \
  "\\x{1138e}\\x{11390}-\\x{113b5}\\x{113b7}\\x{113d1}\\x{113d3}\\x{11bc0}-\\x{11be0}\\x{11f02}"        \
  "\\x{11f04}-\\x{11f10}\\x{11f12}-\\x{11f33}\\x{1342f}\\x{13441}-\\x{13446}\\x{13460}-\\x{143fa}"      \
  "\\x{16100}-\\x{1611d}\\x{16d40}-\\x{16d6c}\\x{18cff}\\x{1b132}\\x{1b155}\\x{1df25}-\\x{1df2a}"       \
  "\\x{1e030}-\\x{1e06d}\\x{1e4d0}-\\x{1e4eb}\\x{1e5d0}-\\x{1e5ed}\\x{1e5f0}\\x{2b739}"                 \
  "\\x{2ebf0}-\\x{2ee5d}\\x{31350}-\\x{323af}"
#define HB_NUMBER                                                                        \
  "\\p{N}"                                                                               \
  "\\x{10d40}-\\x{10d49}\\x{116d0}-\\x{116e3}\\x{11bf0}-\\x{11bf9}\\x{11f50}-\\x{11f59}" \
  "\\x{16130}-\\x{16139}\\x{16d70}-\\x{16d79}\\x{1ccf0}-\\x{1ccf9}\\x{1d2c0}-\\x{1d2d3}" \
  "\\x{1e4f0}-\\x{1e4f9}\\x{1e5f1}-\\x{1e5fa}"
#define HB_PUNCTUATION                                                                                    \
  "\\p{P}"                                                                                                \
  "\\x{1b4e}-\\x{1b4f}\\x{1b7f}\\x{10d6e}\\x{113d4}-\\x{113d5}\\x{113d7}-\\x{113d8}\\x{11b00}-\\x{11b09}" \
  "\\x{11be1}\\x{11f43}-\\x{11f4f}\\x{16d6d}-\\x{16d6f}\\x{1e5ff}"

namespace hb {
namespace {

// What no stage matches becomes a piece of its own, so alternatives that only catch the rest are left out.
#define HB_SPACES_BUT_LAST "[" HB_SPACE "]+(?![^" HB_SPACE "])"

// GPT-2: English clitics, then words, numbers and other signs, each with the space before it.
#define HB_GPT2                                                                                     \
  "'s|'t|'re|'ve|'m|'ll|'d| ?[" HB_LETTER "]+| ?[" HB_NUMBER "]+| ?[^" HB_SPACE HB_LETTER HB_NUMBER \
  "]+|" HB_SPACES_BUT_LAST

// Llama 3 and its kin: any sign may lead a word, line ends stick to what is before, numbers in pieces of
// `DIGITS`.
#define HB_LLAMA3(DIGITS)                                                                                 \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n" HB_LETTER HB_NUMBER "]?[" HB_LETTER "]+|[" HB_NUMBER "]" DIGITS \
  "| ?[^" HB_SPACE HB_LETTER HB_NUMBER "]+[\\r\\n]*|[" HB_SPACE "]*[\\r\\n]+|" HB_SPACES_BUT_LAST

constexpr const char* kGpt2Stages[] = {HB_GPT2};
constexpr const char* kSmollmStages[] = {"[" HB_NUMBER "]", HB_GPT2};
constexpr const char* kLlama3Stages[] = {HB_LLAMA3("{1,3}")};
constexpr const char* kQwen2Stages[] = {HB_LLAMA3("")};
constexpr const char* kMinicpm5Stages[] = {"[" HB_NUMBER "]{1,3}", HB_LLAMA3("+")};
constexpr const char* kDefaultStages[] = {"[" HB_PUNCTUATION "$+<=>^~|]+", HB_GPT2, "[" HB_NUMBER "]+",
                                          "[0-9][0-9][0-9]"};

constexpr std::string_view kGpt2Names[] = {
    "gpt-2",   "gpt2",       "phi-2",      "jina-es",     "jina-de",        "gigachat",
    "a.x-4.0", "jina-v2-es", "jina-v2-de", "mellum",      "exaone4",        "mpt",
    "olmo",    "jais",       "trillion",   "modern-bert", "granite-docling"};
constexpr std::string_view kSmollmNames[] = {"smollm",    "starcoder", "refact",     "command-r",
                                             "codeshell", "exaone",    "minerva-7b", "mellum2"};
constexpr std::string_view kLlama3Names[] = {"llama-bpe", "llama3", "llama-v3", "falcon3",     "falcon-h1",
                                             "pixtral",   "lfm2",   "midm-2.0", "jina-v5-nano"};
constexpr std::string_view kGlm4Names[] = {"glm4", "glm5"};
constexpr std::string_view kDbrxNames[] = {"dbrx", "smaug-bpe", "chatglm-bpe"};
constexpr std::string_view kQwen2Names[] = {"qwen2",   "deepseek-r1-qwen", "kormo",
                                            "f2llmv2", "megrez",           "stablelm2",
                                            "hunyuan", "solar-open",       "grok-2"};
constexpr std::string_view kMinicpm5Names[] = {"minicpm5"};
constexpr std::string_view kDefaultNames[] = {"default"};

constexpr PretokenizerRules kRules[] = {
    {kGpt2Names, kGpt2Stages},
    {kSmollmNames, kSmollmStages},
    {.names = kLlama3Names, .stages = kLlama3Stages, .whole_words_first = true, .add_bos = true},
    {.names = kGlm4Names, .stages = kLlama3Stages, .whole_words_first = true},
    {kDbrxNames, kLlama3Stages},
    {kQwen2Names, kQwen2Stages},
    {.names = kMinicpm5Names, .stages = kMinicpm5Stages, .whole_words_first = true},
    {kDefaultNames, kDefaultStages},
};

}  // namespace

std::span<const PretokenizerRules> all_pretokenizer_rules() { return kRules; }

const PretokenizerRules* find_pretokenizer_rules(std::string_view name) {
  for (const PretokenizerRules& rules : kRules) {
    if (std::ranges::find(rules.names, name) != rules.names.end()) return &rules;
  }
  return nullptr;
}

}  // namespace hb
