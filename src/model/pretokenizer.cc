#include "model/pretokenizer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "model/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace hb {
namespace {

constexpr uint32_t kMaxStepsPerWord = 10'000'000;  // the rules need a few per character; a word may be long
constexpr uint32_t kMaxBacktrackKib = 64 * 1024;

struct FreePcre2 {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
using Code = std::unique_ptr<pcre2_code, FreePcre2>;
using MatchData = std::unique_ptr<pcre2_match_data, FreePcre2>;
using MatchContext = std::unique_ptr<pcre2_match_context, FreePcre2>;

PCRE2_SPTR as_units(const char* text) { return reinterpret_cast<PCRE2_SPTR>(text); }

Result<Code> compile(const char* pattern) {
  int error = 0;
  PCRE2_SIZE at = 0;
  const uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_AUTO_CAPTURE;
  Code code(pcre2_compile(as_units(pattern), PCRE2_ZERO_TERMINATED, options, &error, &at, nullptr));
  if (code == nullptr) {
    char words[128] = "";
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(words), sizeof(words));
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("PCRE2 rejects the pre-tokenizer's expression at {}: {}; it must be built with Unicode",
                    at, words));
  }
  pcre2_jit_compile(code.get(),
                    PCRE2_JIT_COMPLETE);  // without JIT, matching is interpreted: the same, slower
  return code;
}

// Appends the maximal runs of valid and of other bytes; calls `valid` for the former.
template <class Valid>
void for_each_run(std::string_view text, std::vector<std::string_view>* words, const Valid& valid) {
  size_t begin = 0;
  bool is_valid = true;
  const auto end_run = [&](size_t end) {
    if (end == begin) return;
    const std::string_view run = text.substr(begin, end - begin);
    if (is_valid) {
      valid(run);
    } else {
      words->push_back(run);
    }
    begin = end;
  };
  for (size_t at = 0; at < text.size();) {
    const Utf8Unit unit = utf8_next(text.substr(at));
    if ((unit.kind == Utf8Kind::kValid) != is_valid) end_run(at);
    is_valid = unit.kind == Utf8Kind::kValid;
    at += unit.size_bytes;
  }
  end_run(text.size());
}

}  // namespace

struct Pretokenizer::Regexes {
  std::vector<Code> stages;
  MatchContext context;
};

Pretokenizer::Pretokenizer(std::unique_ptr<Regexes> regexes) : regexes_(std::move(regexes)) {}
Pretokenizer::~Pretokenizer() = default;

Result<std::unique_ptr<Pretokenizer>> Pretokenizer::create(const PretokenizerRules& rules) {
  auto regexes = std::make_unique<Regexes>();
  regexes->context.reset(pcre2_match_context_create(nullptr));
  if (regexes->context == nullptr)
    return fail(ErrorCode::kOutOfMemory, "no memory for PCRE2's match context");
  pcre2_set_match_limit(regexes->context.get(), kMaxStepsPerWord);
  pcre2_set_heap_limit(regexes->context.get(), kMaxBacktrackKib);
  for (const char* pattern : rules.stages) {
    HB_ASSIGN(Code code, compile(pattern));
    regexes->stages.push_back(std::move(code));
  }
  return std::unique_ptr<Pretokenizer>(new Pretokenizer(std::move(regexes)));
}

namespace {

// The matches of one expression and what lies between them. REQUIRES: text is UTF-8.
class StageSplitter {
 public:
  StageSplitter(const pcre2_code* code, pcre2_match_context* context)
      : code_(code), context_(context), data_(pcre2_match_data_create(1, nullptr)) {
    HB_CHECK(data_ != nullptr);
  }

  void split(std::string_view text, std::vector<std::string_view>* pieces) const {
    size_t unmatched = 0;
    for (size_t at = 0; at < text.size();) {
      const auto [begin, end] = next_match(text, at);
      if (begin > unmatched) pieces->push_back(text.substr(unmatched, begin - unmatched));
      if (end > begin) pieces->push_back(text.substr(begin, end - begin));
      unmatched = at = end;
    }
  }

 private:
  struct Range {
    size_t begin, end;
  };

  // The first match from `at` on; the empty end of the text if there is none.
  Range next_match(std::string_view text, size_t at) const {
    const int count = pcre2_match(code_, as_units(text.data()), text.size(), at,
                                  PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, data_.get(), context_);
    if (count == PCRE2_ERROR_NOMATCH) return {text.size(), text.size()};
    if (count < 0) return {at, at + utf8_next(text.substr(at)).size_bytes};
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data_.get());
    return {offsets[0], offsets[1]};
  }

  const pcre2_code* code_;
  pcre2_match_context* context_;
  MatchData data_;
};

}  // namespace

std::vector<std::string_view> Pretokenizer::split(std::string_view text) const {
  std::vector<std::string_view> words;
  for_each_run(text, &words, [&](std::string_view run) {
    std::vector<std::string_view> pieces = {run};
    for (const Code& code : regexes_->stages) {
      const StageSplitter splitter(code.get(), regexes_->context.get());
      std::vector<std::string_view> finer;
      for (const std::string_view piece : pieces) splitter.split(piece, &finer);
      pieces = std::move(finer);
    }
    words.insert(words.end(), pieces.begin(), pieces.end());
  });
  return words;
}

}  // namespace hb
